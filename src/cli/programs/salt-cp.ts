// The command line of salt-cp.
import type { Program } from '../optparse/option.ts'
import {
  ADDITIONAL_TARGET_OPTIONS,
  CONFIG_DIR,
  HARD_CRASH,
  HELP,
  LOGGING_OPTIONS,
  OUTPUT_OPTIONS,
  SALTFILE,
  TARGET_OPTIONS,
  TIMEOUT,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SALT_CP: Program = {
  name: 'salt-cp',
  usage: "[options] '<target>' SOURCE DEST",
  description: 'Copies small files to many machines.',
  options: [VERSION, VERSIONS_REPORT, HELP, SALTFILE, CONFIG_DIR, TIMEOUT, HARD_CRASH],
  groups: [
    TARGET_OPTIONS,
    ADDITIONAL_TARGET_OPTIONS,
    OUTPUT_OPTIONS,
    {
      title: 'File Options',
      options: [
        {
          flags: ['-C', '--chunked'],
          action: 'store_true',
          default: false,
          help: 'copy in chunks, with directories and large files',
        },
        {
          flags: ['-n', '--no-compression'],
          dest: 'gzip',
          action: 'store_false',
          default: true,
          help: 'copy without compression',
        },
      ],
    },
    LOGGING_OPTIONS,
  ],
}
