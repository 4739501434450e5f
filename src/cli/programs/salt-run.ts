// The command line of salt-run.
import type { Program } from '../optparse/option.ts'
import {
  ARGS_STDIN,
  ASYNC,
  CONFIG_DIR,
  DOC,
  EXTERNAL_AUTHENTICATION,
  HARD_CRASH,
  HELP,
  JID,
  LOGGING_OPTIONS,
  NO_PARSE,
  OUTPUT_OPTIONS,
  PROFILING_SUPPORT,
  SALTFILE,
  SKIP_GRAINS,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SALT_RUN: Program = {
  name: 'salt-run',
  usage: '[options] <function> [arguments]',
  description: 'Runs runners: functions of the master itself.',
  options: [
    VERSION,
    VERSIONS_REPORT,
    HELP,
    SALTFILE,
    CONFIG_DIR,
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
      options: [{ flags: ['--quiet'], action: 'store_true', default: false, help: 'run but print nothing' }],
    },
    LOGGING_OPTIONS,
  ],
}
