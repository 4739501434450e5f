// The command line of salt-ssh.
import { type CliOption, flagOption, type Program } from '../optparse/option.ts'
import {
  ADDITIONAL_TARGET_OPTIONS,
  FLEET_TARGETS,
  HARD_CRASH,
  JID,
  loggingOptions,
  NO_PARSE,
  OUTPUT_OPTIONS,
  RETURN,
  STANDARD_OPTIONS,
  STATIC,
  TARGET_OPTIONS,
  VERBOSE,
} from './common.ts'

/** Salt spells it `-H` and `--hosts` only. */
const LIST_HOSTS: CliOption = flagOption(['--list-hosts'], 'the same as --hosts')

export const SALT_SSH: Program = {
  name: 'salt-ssh',
  usage: "[options] '<target>' <function> [arguments]",
  description: 'Runs functions on machines that are reached by SSH.',
  options: [
    ...STANDARD_OPTIONS,
    JID,
    HARD_CRASH,
    NO_PARSE,
    flagOption(
      ['-r', '--raw', '--raw-shell'],
      'run a command line in the login shell of the targets instead of a function',
      'raw_shell',
    ),
    { flags: ['--roster'], default: 'flat', help: 'rosters that name the targets, separated by commas' },
    { flags: ['--roster-file'], default: '', help: 'file of the roster' },
    flagOption(['--refresh', '--refresh-cache'], 'collect the grains of the targets anew', 'refresh_cache'),
    {
      flags: ['--max-procs'],
      dest: 'ssh_max_procs',
      type: 'int',
      default: 25,
      help: 'how many hosts are handled at once',
    },
    { flags: ['--extra-filerefs'], help: 'further salt:// files of a state run; they are found without it' },
    { flags: ['--min-extra-modules'], dest: 'min_extra_mods', help: 'no effect: nothing is deployed to the targets' },
    { flags: ['--thin-extra-modules'], dest: 'thin_extra_mods', help: 'no effect: nothing is deployed to the targets' },
    flagOption(['--thin-exclude-saltexts'], 'no effect: nothing is deployed to the targets'),
    LIST_HOSTS,
    RETURN,
    VERBOSE,
    STATIC,
    flagOption(['-w', '--wipe'], 'remove the directory of the target (thin_dir) afterwards', 'ssh_wipe'),
    flagOption(['-W', '--rand-thin-dir'], 'use a random directory on the target and remove it afterwards'),
    flagOption(['-t', '--regen-thin', '--thin'], 'no effect but that of --wipe: nothing is deployed to the targets'),
    flagOption(['--relenv'], 'no effect: nothing is deployed to the targets'),
    { flags: ['--python2-bin'], default: 'python2', help: 'no effect: the targets need no Python' },
    { flags: ['--python3-bin'], default: 'python3', help: 'no effect: the targets need no Python' },
    flagOption(['--pre-flight'], 'run the pre-flight script first', 'ssh_run_pre_flight'),
  ],
  groups: [
    { ...TARGET_OPTIONS, options: [...TARGET_OPTIONS.options, ...FLEET_TARGETS] },
    ADDITIONAL_TARGET_OPTIONS,
    OUTPUT_OPTIONS,
    {
      title: 'SSH Options',
      description: 'About the SSH client.',
      options: [
        { flags: ['--remote-port-forwards'], dest: 'ssh_remote_port_forwards', help: 'remote port forwards to open' },
        {
          flags: ['--disable-keepalive'],
          dest: 'ssh_keepalive',
          action: 'store_false',
          default: true,
          help: 'send no keepalive probes on the ssh connection',
        },
        { flags: ['--keepalive-interval'], dest: 'ssh_keepalive_interval', help: 'seconds between keepalive probes' },
        {
          flags: ['--keepalive-count-max'],
          dest: 'ssh_keepalive_count_max',
          help: 'unanswered probes before giving up',
        },
        { flags: ['--ssh-option'], dest: 'ssh_options', action: 'append', help: 'raw ssh client option (repeatable)' },
      ],
    },
    {
      title: 'Authentication Options',
      description: 'About logging in.',
      options: [
        { flags: ['--priv'], dest: 'ssh_priv', help: 'private key file for logging in' },
        { flags: ['--priv-passwd'], dest: 'ssh_priv_passwd', default: '', help: 'passphrase of the private key' },
        flagOption(['-i', '--ignore-host-keys'], 'accept unknown host keys'),
        flagOption(['--no-host-keys'], 'skip host key checking altogether'),
        { flags: ['--user'], dest: 'ssh_user', default: 'root', help: 'login user when the roster names none' },
        { flags: ['--passwd'], dest: 'ssh_passwd', default: '', help: 'login password' },
        flagOption(['--askpass'], 'ask for the login password', 'ssh_askpass'),
        flagOption(
          ['--key-deploy'],
          'add our public key to those that let the user in, with the password of --passwd or the roster',
          'ssh_key_deploy',
        ),
        flagOption(['--identities-only'], 'offer only configured identities', 'ssh_identities_only'),
        flagOption(['--sudo'], 'use sudo on the target', 'ssh_sudo'),
        flagOption(['--update-roster'], 'store an unknown host in the roster', 'ssh_update_roster'),
      ],
    },
    {
      title: 'Scan Roster Options',
      description: 'About the scan roster.',
      options: [
        { flags: ['--scan-ports'], dest: 'ssh_scan_ports', default: '22', help: 'ports tried by the scan roster' },
        { flags: ['--scan-timeout'], dest: 'ssh_scan_timeout', default: 0.01, help: 'scan roster socket timeout' },
      ],
    },
    loggingOptions('ssh_log_file'),
  ],
}
