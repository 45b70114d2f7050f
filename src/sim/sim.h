/*
 * sim.h - the simulator for tests: launching kernels that are not in kernels.def.
 *
 * The device itself is opened by sim_open (device.h). Tests of the simulator launch
 * kernels of their own by sim_launch_function.
 */
#ifndef MW_SIM_H
#define MW_SIM_H

#include "device.h"
#include "machine.h"

/* Run `launch` on a device that sim_open opened. */
mw_status sim_launch_function(struct device *device, const struct machine_launch *launch);

/* The machine of this device, to inspect it or to change its limits. */
struct machine *sim_machine(struct device *device);

#endif
