# Programs whose geometry is in the tuning table: engine tile's, and those that sort by a
# comparison. Sets, with names such as 32_256x32
# (bits, rows, items) and 32_256x32_5_4 (and blocks of tile_sort and tile_merge on an SM),
# ending in _places for items with places, in _large for 2^32 keys and more:
#   tiles, defines_<tile>                              the geometries, for the simulator
#   tile_images, defines_<image>, gencode_<image>      the images, for nvcc
#   gencode_all                                        for what suits every architecture
#   lists, defines_<list>, such as lists_32_256x32     merging lists, for the simulator
#   list_images, defines_<image>, gencode_<image>      the same for nvcc: lists_32_256x32_0_4
#   lesses, defines_<less>, such as less_128_128x27    by a comparison, for the simulator
set(table ${PROJECT_SOURCE_DIR}/src/tune.def)
set(template ${CMAKE_CURRENT_SOURCE_DIR}/tiles.cmake.in)
set(calls ${CMAKE_CURRENT_BINARY_DIR}/tile_rows.cmake)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table} ${template})
execute_process(
    COMMAND ${CMAKE_C_COMPILER} -E -P -x c -I${PROJECT_SOURCE_DIR}/src ${template}
    OUTPUT_FILE ${calls} RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "cannot read the rows of ${table}")
endif()

# An image holds machine code for some architectures, and PTX of the newest for GPUs
# that are newer still.
list(GET MW_ARCHITECTURES -1 newest)
set(ptx -gencode=arch=compute_${newest},code=compute_${newest})
set(gencode_all "")
foreach(architecture ${MW_ARCHITECTURES})
    list(APPEND gencode_all -gencode=arch=compute_${architecture},code=sm_${architecture})
endforeach()
list(APPEND gencode_all ${ptx})

# The rows an architecture uses: those of the greatest `arch` that is not beyond it.
macro(tile_row arch)
    foreach(architecture ${MW_ARCHITECTURES})
        if(${arch} GREATER best_${architecture} AND NOT ${arch} GREATER architecture)
            set(best_${architecture} ${arch})
        endif()
    endforeach()
endmacro()
foreach(architecture ${MW_ARCHITECTURES})
    set(best_${architecture} 0)
endforeach()
macro(less_row bits)
endmacro()
macro(lists_row arch)
endmacro()
include(${calls})

# Does an SM of this architecture have little shared memory, or may it? Code for sm_80
# also runs on sm_86 and sm_89, and PTX on whatever will come.
function(may_be_small architecture result)
    set(large 90 90a 100 100a 103 103a)
    if(architecture IN_LIST large)
        set(${result} FALSE PARENT_SCOPE)
    else()
        set(${result} TRUE PARENT_SCOPE)
    endif()
endfunction()

set(lesses "")
macro(less_row bits threads items)
    set(less less_${bits}_${threads}x${items})
    list(APPEND lesses ${less})
    set(defines_${less} KEY_BITS=${bits} LESS_THREADS=${threads} LESS_ITEMS=${items})
endmacro()
set(tiles "")
set(tile_images "")
# The architectures that can choose a row, for `image`, a name in the set `images`.
macro(gencode_row arch kib image images)
    foreach(architecture ${MW_ARCHITECTURES})
        may_be_small(${architecture} small)
        if(best_${architecture} EQUAL ${arch} OR (${kib} LESS 160 AND small))
            list(APPEND gencode_${image}
                -gencode=arch=compute_${architecture},code=sm_${architecture})
            list(APPEND ${images} ${image})
        endif()
        if(architecture STREQUAL newest AND (best_${architecture} EQUAL ${arch} OR ${kib} LESS 160))
            list(APPEND gencode_${image} ${ptx})
            list(APPEND ${images} ${image})
        endif()
    endforeach()
    if(gencode_${image})
        list(REMOVE_DUPLICATES gencode_${image})
    endif()
endmacro()
macro(tile_row arch kib size rows items sort merge kind)
    math(EXPR bits "8 * ${size}")
    set(tile ${bits}_${rows}x${items}${kind})
    set(image ${bits}_${rows}x${items}_${sort}_${merge}${kind})
    list(APPEND tiles ${tile})
    set(defines_${tile} KEY_BITS=${bits} TILE_ROWS=${rows} TILE_ITEMS=${items})
    if("${kind}" STREQUAL "_places")
        list(APPEND defines_${tile} TILE_PLACES=1)
    elseif("${kind}" STREQUAL "_large")
        list(APPEND defines_${tile} TILE_LARGE=1)
    endif()
    set(defines_${image} ${defines_${tile}} TILE_SORT_BLOCKS=${sort} TILE_MERGE_BLOCKS=${merge})
    gencode_row(${arch} ${kib} ${image} tile_images)
endmacro()
set(lists "")
set(list_images "")
macro(lists_row arch kib size rows items merge places)
    math(EXPR bits "8 * ${size}")
    set(one lists_${bits}_${rows}x${items}${places})
    set(image lists_${bits}_${rows}x${items}_0_${merge}${places})
    list(APPEND lists ${one})
    set(defines_${one} KEY_BITS=${bits} TILE_ROWS=${rows} TILE_ITEMS=${items} TILE_LISTS=1)
    if(NOT "${places}" STREQUAL "")
        list(APPEND defines_${one} TILE_PLACES=1)
    endif()
    set(defines_${image} ${defines_${one}} TILE_SORT_BLOCKS=0 TILE_MERGE_BLOCKS=${merge})
    gencode_row(${arch} ${kib} ${image} list_images)
endmacro()
include(${calls})
list(REMOVE_DUPLICATES lesses)
list(REMOVE_DUPLICATES tiles)
list(REMOVE_DUPLICATES tile_images)
list(REMOVE_DUPLICATES lists)
list(REMOVE_DUPLICATES list_images)
