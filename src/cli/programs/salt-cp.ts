// The command line of salt-cp.
import { flagOption, type Program } from '../optparse/option.ts'
import {
  ADDITIONAL_TARGET_OPTIONS,
  HARD_CRASH,
  LOGGING_OPTIONS,
  OUTPUT_OPTIONS,
  STANDARD_OPTIONS,
  TARGET_OPTIONS,
  TIMEOUT,
} from './common.ts'

export const SALT_CP: Program = {
  name: 'salt-cp',
  usage: "[options] '<target>' SOURCE DEST",
  description: 'Copies small files to many machines.',
  options: [...STANDARD_OPTIONS, TIMEOUT, HARD_CRASH],
  groups: [
    TARGET_OPTIONS,
    ADDITIONAL_TARGET_OPTIONS,
    OUTPUT_OPTIONS,
    {
      title: 'File Options',
      options: [
        flagOption(['-C', '--chunked'], 'copy in chunks, with directories and large files'),
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
