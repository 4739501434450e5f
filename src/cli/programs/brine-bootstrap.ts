// The command line of `brine bootstrap`.
import { flagOption, type Program } from '../optparse/option.ts'
import { CONFIG_DIR, HELP, LOG_LEVEL } from './common.ts'

export const BRINE_BOOTSTRAP: Program = {
  name: 'brine bootstrap',
  usage: 'HOST… --package FILE [options]',
  description:
    'Installs a minion of this master on hosts that are reached by SSH: sends the package, writes the configuration with the fingerprint of ' +
    "the master, puts the keys in place, accepts the minion's key, starts the minion and waits until it answers. A HOST is an id or a glob " +
    'of the roster, a name or an address, with user@ before it if need be.',
  options: [
    HELP,
    CONFIG_DIR,
    {
      flags: ['--package'],
      dest: 'packages',
      action: 'append',
      metavar: 'FILE',
      help: 'package of the minion: the .tgz of npm pack (the host needs Node), the one-file program, or .deb or .rpm files (repeat the option for brine and brine-minion)',
    },
    { flags: ['--id'], help: 'id of the minion, for one host; else the id of the roster, or the name of the host' },
    {
      flags: ['--master'],
      dest: 'bootstrap_master',
      help: 'name or address of this master, as the minion reaches it; else the option interface, or the name of this machine',
    },
    { flags: ['--user'], dest: 'ssh_user', default: 'root', help: 'login user when the roster names none' },
    { flags: ['--port'], dest: 'ssh_port', help: 'port of the SSH server when the roster names none' },
    { flags: ['--priv'], dest: 'ssh_priv', help: 'private key file for logging in' },
    flagOption(['--sudo'], 'use sudo on the host', 'ssh_sudo'),
    flagOption(['-i', '--ignore-host-keys'], 'accept unknown host keys'),
    { flags: ['--ssh-option'], dest: 'ssh_options', action: 'append', help: 'raw ssh client option (repeatable)' },
    { flags: ['--roster-file'], default: '', help: 'file of the roster' },
    {
      flags: ['--timeout'],
      dest: 'bootstrap_timeout',
      type: 'int',
      default: 120,
      help: 'seconds to wait until the minion answers',
    },
    flagOption(['--test'], 'say what would be done', 'bootstrap_test'),
    flagOption(
      ['--force'],
      'take over a minion of another master or with another id, and replace an accepted key of the same id',
      'bootstrap_force',
    ),
    LOG_LEVEL,
  ],
  groups: [],
}
