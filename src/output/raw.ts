// The data as Python prints it.
import { str } from '../data/mod.ts'
import type { Outputter } from './outputter.ts'

export const raw: Outputter = (data) => str(data)
