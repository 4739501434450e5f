// Calls of the module boto_ec2 by its states.

import { askerOf } from '../common/ask.ts'
import { asking } from '../common/state-calls.ts'

/** Call a function that returns a dict, with `error` if AWS refuses. */
export const ask = asking('boto_ec2')

/** Call a function with any answer. */
export const call = askerOf('boto_ec2')

/** The states of machines that are not gone. */
export const RUNNING = ['pending', 'rebooting', 'running', 'stopping', 'stopped']
