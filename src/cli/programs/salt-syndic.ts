// The command line of salt-syndic.
import type { Program } from '../optparse/option.ts'
import { daemonOptions, loggingOptions, STANDARD_OPTIONS, USER } from './common.ts'

export const SALT_SYNDIC: Program = {
  name: 'salt-syndic',
  usage: '[options]',
  description: 'The syndic, which stands between a master and a master above it.',
  options: [...STANDARD_OPTIONS, USER, ...daemonOptions('salt-syndic')],
  groups: [loggingOptions('syndic_log_file')],
}
