// The command line of spm.
import { flagOption, type Program } from '../optparse/option.ts'
import { ASSUME_YES, loggingOptions, STANDARD_OPTIONS, VERBOSE } from './common.ts'

export const SPM: Program = {
  name: 'spm',
  usage: '[options] <function> <argument>',
  description: 'Manages packages of formulas.',
  options: [...STANDARD_OPTIONS, ASSUME_YES, flagOption(['-f', '--force'], 'overwrite without asking'), VERBOSE],
  groups: [loggingOptions('spm_logfile')],
}
