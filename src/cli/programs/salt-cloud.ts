// The command line of salt-cloud.
import { flagOption, type Program } from '../optparse/option.ts'
import { ASSUME_YES, HARD_CRASH, LOGGING_OPTIONS, OUTPUT_OPTIONS, STANDARD_OPTIONS } from './common.ts'

export const SALT_CLOUD: Program = {
  name: 'salt-cloud',
  usage: '[options] <-m MAP | -p PROFILE> <NAME> [NAME2 ...]',
  description: 'Makes and removes virtual machines of cloud providers.',
  options: [...STANDARD_OPTIONS, HARD_CRASH],
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
        flagOption(['-H', '--hard'], 'destroy instances the map does not mention'),
        flagOption(['-d', '--destroy'], 'destroy the named instances'),
        {
          flags: ['--no-deploy'],
          dest: 'deploy',
          action: 'store_false',
          default: true,
          help: 'create without putting a minion on the instances',
        },
        flagOption(['-P', '--parallel'], 'create instances in parallel'),
        flagOption(['-u', '--update-bootstrap'], 'no effect: the built-in deployment needs no script'),
        ASSUME_YES,
        flagOption(['-k', '--keep-tmp'], 'leave temporary files after deployment'),
        flagOption(['--show-deploy-args'], 'include deployment arguments in the result'),
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
        flagOption(['-Q', '--query'], 'show a few facts on running instances'),
        flagOption(['-F', '--full-query'], 'show everything on running instances'),
        flagOption(['-S', '--select-query'], 'show the configured facts on running instances'),
        flagOption(['--list-providers'], 'list configured providers'),
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
