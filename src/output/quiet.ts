// Prints nothing.
import type { Outputter } from './outputter.ts'

export const quiet: Outputter = () => ''
