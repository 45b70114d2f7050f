/*
 * sim.h - the simulator's side door: kernels that are not in kernels.def.
 *
 * The device itself is opened by sim_open (device.h). Tests of the simulator
 * launch kernels of their own through sim_launch_function.
 */
#ifndef MW_SIM_H
#define MW_SIM_H

#include "device.h"
#include "machine.h"

/* Run `launch` on a device that sim_open opened. */
mw_status sim_launch_function(struct device *device, const struct machine_launch *launch);

/* The machine of such a device, to look at or to change the limits of. */
struct machine *sim_machine(struct device *device);

#endif
