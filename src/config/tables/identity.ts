// The identity of a minion.
import { ownUser } from '../../base/mod.ts'
import type { OptionTable } from '../option.ts'

export const IDENTITY = {
  id: { type: 'str', minion: '', doc: "Name of this minion; found out from the host's name when it is not set" },
  id_function: { type: 'dict|str', minion: {}, doc: 'Function, perhaps with arguments, that names the minion' },
  append_minionid_config_dirs: {
    type: 'list',
    minion: [],
    doc: "Which directories get the minion's id appended: pki_dir, cachedir, extension_modules, pidfile, default_include",
  },
  minion_id_caching: { type: 'bool', minion: true, doc: 'Keep a name that was found out in the file minion_id' },
  minion_id_lowercase: { type: 'bool', minion: false, doc: 'Write a name that was found out in lower case' },
  minion_id_remove_domain: {
    type: 'str|bool',
    minion: false,
    doc: 'Cut the domain off a name that was found out: all of it, or this one',
  },
  append_domain: {
    type: 'str',
    for: ['minion', 'master'],
    doc: 'Domain appended to an id that does not already end in it',
  },
  user: { type: 'str', both: 'root', find: ownUser, doc: 'System user the daemon runs as' },
  sudo_user: { type: 'str', minion: '', doc: 'Run remote commands with sudo as this user' },
  syndic_user: {
    type: 'str',
    for: ['master'],
    doc: 'System user the syndic runs as; the one of the master unless set',
  },
} satisfies OptionTable
