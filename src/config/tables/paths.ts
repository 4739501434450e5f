// Directories, and the files that options are read from.
import type { OptionTable } from '../option.ts'

export const PATHS = {
  root_dir: { type: 'str', both: '/', doc: 'Directory that the other paths are relative to' },
  conf_file: {
    type: 'str',
    minion: '/etc/salt/minion',
    master: '/etc/salt/master',
    doc: 'File the main configuration was read from',
  },
  default_include: {
    type: 'str',
    minion: 'minion.d/*.conf',
    master: 'master.d/*.conf',
    doc: 'Glob of further configuration files, relative to the main one',
  },
  include: {
    type: 'str|list',
    for: ['minion', 'master'],
    unset: [],
    doc: 'Further configuration files, as globs relative to this file',
  },
  config_renderer: {
    type: 'str',
    for: ['minion', 'master'],
    doc: 'Renderers of the files that this file includes, as jinja|yaml; yaml keeps files from being rendered',
  },
  config_dir: {
    type: 'str',
    for: ['minion', 'master'],
    unset: '/etc/salt',
    doc: 'Directory of the configuration files',
  },
  pki_dir: {
    type: 'str',
    minion: '/etc/salt/pki/minion',
    master: '/etc/salt/pki/master',
    doc: 'Directory of the keys',
  },
  cachedir: {
    type: 'str',
    minion: '/var/cache/salt/minion',
    master: '/var/cache/salt/master',
    doc: 'Directory of what may be fetched or computed again',
  },
  extension_modules: {
    minion: '/var/cache/salt/minion/extmods',
    master: '/var/cache/salt/master/extmods',
    doc: 'Directory that synchronized modules of users are kept in',
  },
  module_dirs: { type: 'list', both: [], doc: 'Further directories searched for modules of users' },
  pidfile: {
    type: 'str',
    minion: '/var/run/salt-minion.pid',
    master: '/var/run/salt-master.pid',
    doc: 'File the daemon writes its process id to',
  },
  sock_dir: {
    type: 'str',
    minion: '/var/run/salt/minion',
    master: '/var/run/salt/master',
    doc: 'Directory of the sockets between processes of one machine',
  },
  permissive_pki_access: { type: 'bool', both: false, doc: 'Let the group read the key directories' },
  sqlite_queue_dir: {
    type: 'str',
    master: '/var/cache/salt/master/queues',
    doc: 'Directory of the queues kept in SQLite',
  },
  token_dir: {
    type: 'str',
    for: ['master'],
    unset: '/var/cache/salt/master/tokens',
    secret: false,
    doc: 'Directory of the tokens of logged-in users',
  },
  token_file: { type: 'str', for: ['master'], secret: false, doc: "File that keeps the user's own token" },
  verify_env: {
    type: 'bool',
    both: true,
    doc: "Check and set owners and modes of Salt's directories at start",
    needless: 'Programs make their own directories with the right owner and mode and leave others alone',
  },
  syndic_dir: {
    type: 'str',
    for: ['master'],
    doc: 'Directory with a file for each known syndic',
    needless: 'The directory is always `syndics` in the cache directory, as in Salt',
  },
} satisfies OptionTable
