// Calls of the module boto_rds by its states.
import { asking } from '../common/state-calls.ts'

export const ask = asking('boto_rds')
