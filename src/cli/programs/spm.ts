// The command line of spm.
import type { Program } from '../optparse/option.ts'
import {
  ASSUME_YES,
  CONFIG_DIR,
  HELP,
  LOG_FILE_LEVEL,
  LOG_LEVEL,
  SALTFILE,
  VERBOSE,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SPM: Program = {
  name: 'spm',
  usage: '[options] <function> <argument>',
  description: 'Manages packages of formulas.',
  options: [
    VERSION,
    VERSIONS_REPORT,
    HELP,
    SALTFILE,
    CONFIG_DIR,
    ASSUME_YES,
    { flags: ['-f', '--force'], action: 'store_true', default: false, help: 'overwrite without asking' },
    VERBOSE,
  ],
  groups: [
    {
      title: 'Logging Options',
      description: 'Logging, whatever the configuration files say.',
      options: [
        LOG_LEVEL,
        { flags: ['--log-file'], dest: 'spm_logfile', action: 'file', help: 'log file' },
        LOG_FILE_LEVEL,
      ],
    },
  ],
}
