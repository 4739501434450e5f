// Whether a master is one of a cluster. A master alone loads nothing else of this room.
import { rawOption } from '../config/mod.ts'
import { type Dict, truthy } from '../data/mod.ts'

/** Return whether this master is one of a cluster. */
export const isClustered = (opts: Dict): boolean => truthy(rawOption(opts, 'cluster_id'))
