// The command line of salt-master.
import type { Program } from '../optparse/option.ts'
import { daemonOptions, LOGGING_OPTIONS, STANDARD_OPTIONS, USER } from './common.ts'

export const SALT_MASTER: Program = {
  name: 'salt-master',
  usage: '[options]',
  description: 'The master, which directs minions.',
  options: [...STANDARD_OPTIONS, USER, ...daemonOptions('salt-master')],
  groups: [LOGGING_OPTIONS],
}
