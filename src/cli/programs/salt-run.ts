// The command line of salt-run.
import { flagOption, type Program } from '../optparse/option.ts'
import {
  ARGS_STDIN,
  ASYNC,
  DOC,
  EXTERNAL_AUTHENTICATION,
  HARD_CRASH,
  JID,
  LOGGING_OPTIONS,
  NO_PARSE,
  OUTPUT_OPTIONS,
  PROFILING_SUPPORT,
  SKIP_GRAINS,
  STANDARD_OPTIONS,
} from './common.ts'

export const SALT_RUN: Program = {
  name: 'salt-run',
  usage: '[options] <function> [arguments]',
  description: 'Runs runners: functions of the master itself.',
  options: [
    ...STANDARD_OPTIONS,
    { flags: ['-t', '--timeout'], type: 'int', default: 1, help: 'seconds to wait for returns' },
    ARGS_STDIN,
    JID,
    HARD_CRASH,
    NO_PARSE,
    DOC,
    ASYNC,
    SKIP_GRAINS,
  ],
  groups: [
    EXTERNAL_AUTHENTICATION,
    OUTPUT_OPTIONS,
    PROFILING_SUPPORT,
    {
      title: 'Output Options',
      description: 'How answers are printed.',
      options: [flagOption(['--quiet'], 'run but print nothing')],
    },
    LOGGING_OPTIONS,
  ],
}
