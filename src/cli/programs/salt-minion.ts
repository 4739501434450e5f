// The command line of salt-minion.
import type { Program } from '../optparse/option.ts'
import { daemonOptions, LOGGING_OPTIONS, STANDARD_OPTIONS, USER } from './common.ts'

export const SALT_MINION: Program = {
  name: 'salt-minion',
  usage: '[options]',
  description: 'The minion, which does what a master asks.',
  options: [...STANDARD_OPTIONS, USER, ...daemonOptions('salt-minion')],
  groups: [LOGGING_OPTIONS],
}
