// The command line of salt-cloud.
import type { Program } from '../optparse/option.ts'
import {
  ASSUME_YES,
  CONFIG_DIR,
  HARD_CRASH,
  HELP,
  LOGGING_OPTIONS,
  OUTPUT_OPTIONS,
  SALTFILE,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SALT_CLOUD: Program = {
  name: 'salt-cloud',
  usage: '[options] <-m MAP | -p PROFILE> <NAME> [NAME2 ...]',
  description: 'Makes and removes virtual machines of cloud providers.',
  options: [VERSION, VERSIONS_REPORT, HELP, SALTFILE, CONFIG_DIR, HARD_CRASH],
  groups: [
    {
      title: 'Execution Options',
      options: [
        { flags: ['-L', '--location'], help: 'region to work in' },
        { flags: ['-a', '--action'], help: 'run a provider action on named instances' },
        {
          flags: ['-f', '--function'],
          nargs: 2,
          metavar: '<FUNC-NAME> <PROVIDER>',
          help: 'run a provider function that needs no instance',
        },
        { flags: ['-p', '--profile'], help: 'create instances from this profile' },
        { flags: ['-m', '--map'], help: "bring a map file's instances into being" },
        {
          flags: ['-H', '--hard'],
          action: 'store_true',
          default: false,
          help: 'destroy instances the map does not mention',
        },
        { flags: ['-d', '--destroy'], action: 'store_true', default: false, help: 'destroy the named instances' },
        {
          flags: ['--no-deploy'],
          dest: 'deploy',
          action: 'store_false',
          default: true,
          help: 'create without putting a minion on the instances',
        },
        { flags: ['-P', '--parallel'], action: 'store_true', default: false, help: 'create instances in parallel' },
        {
          flags: ['-u', '--update-bootstrap'],
          action: 'store_true',
          default: false,
          help: 'no effect: the built-in deployment needs no script',
        },
        ASSUME_YES,
        {
          flags: ['-k', '--keep-tmp'],
          action: 'store_true',
          default: false,
          help: 'leave temporary files after deployment',
        },
        {
          flags: ['--show-deploy-args'],
          action: 'store_true',
          default: false,
          help: 'include deployment arguments in the result',
        },
        { flags: ['--script-args'], help: 'arguments for a deploy script of your own' },
        {
          flags: ['-b', '--bootstrap'],
          metavar: '<HOST> [MINION_ID] [OPTIONS...]',
          default: false,
          help: 'install a minion on an existing machine',
        },
      ],
    },
    {
      title: 'Query Options',
      options: [
        {
          flags: ['-Q', '--query'],
          action: 'store_true',
          default: false,
          help: 'show a few facts on running instances',
        },
        {
          flags: ['-F', '--full-query'],
          action: 'store_true',
          default: false,
          help: 'show everything on running instances',
        },
        {
          flags: ['-S', '--select-query'],
          action: 'store_true',
          default: false,
          help: 'show the configured facts on running instances',
        },
        { flags: ['--list-providers'], action: 'store_true', default: false, help: 'list configured providers' },
        { flags: ['--list-profiles'], help: 'list configured profiles' },
      ],
    },
    {
      title: 'Cloud Providers Listings',
      options: [
        { flags: ['--list-locations'], help: "list a provider's locations" },
        { flags: ['--list-images'], help: "list a provider's images" },
        { flags: ['--list-sizes'], help: "list a provider's sizes" },
      ],
    },
    {
      title: 'Cloud Credentials',
      options: [
        {
          flags: ['--set-password'],
          nargs: 2,
          metavar: '<USERNAME> <PROVIDER>',
          help: 'not supported: use sdb:// values',
        },
      ],
    },
    OUTPUT_OPTIONS,
    LOGGING_OPTIONS,
  ],
}
