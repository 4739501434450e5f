// The command line of `brine simulate`.
import { COMMAND_CONFIG_DIR, COMMAND_HELP } from '../brine-command.ts'
import type { Program } from '../optparse/option.ts'

export const BRINE_SIMULATE: Program = {
  name: 'brine simulate',
  usage: 'N [options]',
  description:
    'Start N simulated minions in this process. They sign in to a master, check its publications and return over the real wire; only the ' +
    'work of a job is made up. Ctrl-C ends them and prints a summary.',
  options: [COMMAND_HELP, COMMAND_CONFIG_DIR],
  groups: [
    {
      title: 'Master',
      options: [
        {
          flags: ['--master'],
          metavar: 'HOST',
          help: 'name or address of the master (default: with --accept its interface, otherwise 127.0.0.1)',
        },
        {
          flags: ['--port'],
          metavar: 'PORT',
          type: 'int',
          help: 'request port of the master (default: with --accept its ret_port, otherwise 4506)',
        },
        {
          flags: ['--publish-port'],
          metavar: 'PORT',
          type: 'int',
          help: 'publish port (default: the port that the master announces)',
        },
        {
          flags: ['--transport'],
          choices: ['zeromq', 'tcp', 'ws'],
          help: 'transport of the master (default: with --accept its own, otherwise zeromq)',
        },
        {
          flags: ['--accept'],
          action: 'store_true',
          help: 'put the public keys into the accepted keys of the master on this machine, whose configuration is in --config-dir; without --pki-dir the command removes them at its end',
        },
      ],
    },
    {
      title: 'Minions',
      options: [
        {
          flags: ['--prefix'],
          metavar: 'TEXT',
          default: 'sim-',
          help: 'ids are this text and a number (default: sim-)',
        },
        {
          flags: ['--first'],
          metavar: 'NUMBER',
          type: 'int',
          default: 0,
          help: 'number of the first minion (default: 0)',
        },
        {
          flags: ['--grains'],
          metavar: 'FILE',
          help: 'grains as YAML or JSON: one mapping for all minions, or a list of mappings that take turns',
        },
        {
          flags: ['--keys'],
          metavar: 'NUMBER',
          type: 'int',
          default: 8,
          help: 'key pairs that the minions share in turn (default: 8)',
        },
        {
          flags: ['--key-size'],
          metavar: 'BITS',
          type: 'int',
          default: 2048,
          help: 'size of the RSA keys (default: 2048)',
        },
        {
          flags: ['--pki-dir'],
          metavar: 'DIR',
          help: "keep the key pairs and the master's key in this directory for the next run",
        },
        {
          flags: ['--sign-ins'],
          metavar: 'NUMBER',
          type: 'int',
          default: 50,
          help: 'sign-ins under way at once (default: 50)',
        },
        {
          flags: ['--no-pillar'],
          action: 'store_true',
          help: 'do not fetch the pillar; then the master does not learn the grains',
        },
        {
          flags: ['--fetch-files'],
          action: 'store_true',
          help: 'fetch the pillar and the files of the environment base before each run of states; a later run fetches what changed',
        },
        { flags: ['--no-start-event'], action: 'store_true', help: 'do not fire salt/minion/ID/start' },
        {
          flags: ['--same-address'],
          action: 'store_true',
          help: 'connect all minions from one address; with a master at 127.0.0.1 each has its own of 127.0.0.0/8',
        },
      ],
    },
    {
      title: 'Returns and events',
      options: [
        {
          flags: ['--states'],
          metavar: 'NUMBER',
          type: 'int',
          default: 20,
          help: 'results in returns of state.apply, state.sls and state.highstate (default: 20)',
        },
        {
          flags: ['--return-size'],
          metavar: 'BYTES',
          type: 'int',
          default: 0,
          help: 'return a text of this size from functions without a shape of their own (default: True)',
        },
        {
          flags: ['--delay'],
          metavar: 'MS',
          default: '0',
          help: 'time that a job takes: 200, or 100-2000 for a range (default: 0)',
        },
        { flags: ['--fail'], metavar: 'PERCENT', default: '0', help: 'share of the returns that fail' },
        {
          flags: ['--events'],
          metavar: 'NUMBER',

          default: 0,
          help: 'events a second of the whole fleet',
        },
        {
          flags: ['--event-tag'],
          metavar: 'TAG',
          default: 'simulate/event',
          help: 'tag of these events (default: simulate/event)',
        },
        {
          flags: ['--event-size'],
          metavar: 'BYTES',
          type: 'int',
          default: 100,
          help: 'size of their data (default: 100)',
        },
      ],
    },
    {
      title: 'Faults',
      options: [
        {
          flags: ['--silent'],
          metavar: 'PERCENT',

          default: 0,
          help: 'share of the minions that never answer',
        },
        {
          flags: ['--late'],
          metavar: 'PERCENT',

          default: 0,
          help: 'share of the returns that come late',
        },
        { flags: ['--late-by'], metavar: 'MS', type: 'int', default: 30_000, help: 'how late (default: 30000)' },
        {
          flags: ['--twice'],
          metavar: 'PERCENT',

          default: 0,
          help: 'share of the returns that are sent twice',
        },
        {
          flags: ['--reconnect'],
          metavar: 'NUMBER',

          default: 0,
          help: 'minions a second that lose their connections and connect again',
        },
      ],
    },
    {
      title: 'Run',
      options: [
        {
          flags: ['--duration'],
          metavar: 'SECONDS',

          default: 0,
          help: 'end after so long with all minions signed in (default: run until Ctrl-C)',
        },
        {
          flags: ['--json'],
          action: 'store_true',
          help: 'print one JSON line when all minions have signed in, and one at the end',
        },
      ],
    },
  ],
}
