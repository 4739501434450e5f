// All kinds of findings by code. Codes are stable: ignore files and CI jobs use them. docs/doctor.md has this table.

export type Level = 'error' | 'warning' | 'note'

export interface CodeFacts {
  readonly level: Level
  /** The general description of the finding. */
  readonly what: string
  readonly why: string
  readonly fix: string
}

export const CODES = {
  'config-invalid': {
    level: 'error',
    what: 'A configuration file cannot be used',
    why: 'The daemon does not start, or starts without the options of this file',
    fix: 'Correct the file',
  },
  'config-unknown-option': {
    level: 'warning',
    what: 'An option with a name that looks like a slip',
    why: 'Nothing reads it, so the setting that was meant has its default',
    fix: 'Correct the name',
  },
  'config-foreign-option': {
    level: 'note',
    what: 'An option that neither Brine nor Salt declares',
    why: 'Modules and templates may read it; no program does',
    fix: 'Remove it if nothing of yours reads it',
  },
  'config-later-option': {
    level: 'warning',
    what: 'An option of a part of Salt that Brine does not have yet',
    why: 'It has no effect here',
    fix: 'Do without that part, or keep these machines on Salt',
  },
  'config-needless-option': {
    level: 'note',
    what: 'An option that Brine has no use for',
    why: 'It has no effect here, and nothing has to be set in its place',
    fix: 'Leave it or remove it',
  },
  'config-old-option': {
    level: 'note',
    what: 'An option under an old name',
    why: 'The old name still works',
    fix: 'Use the present name',
  },
  'config-wrong-type': {
    level: 'warning',
    what: 'An option whose value has the wrong type',
    why: 'The value may be read in another way than it was meant',
    fix: 'Write a value of the type that the manual of options names',
  },
  'config-missing-plugin': {
    level: 'error',
    what: 'An option that names a plugin which is not here',
    why: 'What the plugin does will not happen',
    fix: 'Choose another plugin, write it yourself, or install a Salt extension that has it',
  },
  'danger-open-mode': {
    level: 'warning',
    what: 'open_mode is on',
    why: 'The master accepts any key, also one in place of a known key',
    fix: 'Set open_mode to False',
  },
  'danger-auto-accept': {
    level: 'warning',
    what: 'Keys of minions are accepted without a look',
    why: 'Whoever reaches the master becomes a minion and gets pillar',
    fix: 'Accept keys with salt-key, or use autosign_grains with a secret',
  },
  'danger-key-permissions': {
    level: 'warning',
    what: 'permissive_pki_access is on',
    why: 'Members of the group of the daemon can read private keys',
    fix: 'Set permissive_pki_access to False',
  },
  'danger-file-recv': {
    level: 'warning',
    what: 'Minions may push files to the master',
    why: 'A minion that an attacker holds can fill the disk of the master',
    fix: 'Set file_recv to False unless cp.push or minionfs is in use',
  },
  'danger-open-access': {
    level: 'warning',
    what: 'A user or group may run every function on every minion',
    why: 'That is root on all of them',
    fix: 'List the functions that are needed',
  },
  'danger-api-plain': {
    level: 'warning',
    what: 'The REST API has no TLS',
    why: 'Passwords and tokens can be read on the network',
    fix: 'Set ssl_crt and ssl_key, or let it listen on a local address behind a proxy with TLS',
  },
  'danger-api-everywhere': {
    level: 'note',
    what: 'The REST API listens on all addresses',
    why: 'Every network of the machine can reach it',
    fix: 'Set host to the address that users reach',
  },
  'danger-weak-hash': {
    level: 'warning',
    what: 'hash_type names a broken hash',
    why: 'Two files can be made that have the same hash, and fingerprints of keys can be forged',
    fix: 'Set hash_type to sha256 on the master and on all minions',
  },
  'danger-readable-file': {
    level: 'warning',
    what: 'A file with secrets that every local user can read',
    why: 'Keys, passwords and pillar are for the daemon alone',
    fix: 'Take the rights of others away (chmod o-rwx)',
  },
  'key-weak': {
    level: 'warning',
    what: 'A key that is too short',
    why: 'RSA keys below 2048 bits can be broken',
    fix: 'Make a new key and accept it again',
  },
  'key-unreadable': {
    level: 'error',
    what: 'A key that cannot be read',
    why: 'The minion cannot sign in, or the daemon does not start',
    fix: 'Remove the file and let the minion send its key again',
  },
  'minion-old-version': {
    level: 'warning',
    what: 'A minion of an old Salt',
    why: 'Salt before 3006 gets no fixes any more; Brine is tested with 3006 and later',
    fix: 'Upgrade the minion, or install Brine there',
  },
  'minion-python2': {
    level: 'warning',
    what: 'A minion that runs on Python 2',
    why: 'Its custom modules may be Python 2, which Brine does not run',
    fix: 'Port the modules',
  },
  'minion-mixed-versions': {
    level: 'note',
    what: 'Minions of several versions',
    why: 'States and functions differ between them',
    fix: 'Bring them to one version',
  },
  'minion-without-grains': {
    level: 'note',
    what: 'An accepted minion of which no grains are known',
    why: 'Nothing was compiled for it',
    fix: 'Let it sign in, or run `salt ID saltutil.refresh_grains`',
  },
  'minion-away': {
    level: 'note',
    what: 'A minion that did not answer',
    why: 'What is known of it may be old',
    fix: 'Find out whether it still exists; `salt-key -d ID` removes its key',
  },
  'no-minions': {
    level: 'note',
    what: 'No minion is known here',
    why: 'The tree was compiled for example minions with the grains of a Debian 12; findings of that are notes',
    fix: 'Run on the master, or give grains with --grains',
  },
  'top-invalid': {
    level: 'error',
    what: 'A top file cannot be used',
    why: 'Minions get no states or no pillar',
    fix: 'Correct the top file',
  },
  'sls-invalid': {
    level: 'error',
    what: 'An SLS file does not compile',
    why: 'The highstate of its minions fails before the first state',
    fix: 'Correct the file',
  },
  'pillar-invalid': {
    level: 'error',
    what: 'Pillar does not compile',
    why: 'States of the minion are refused while its pillar has errors',
    fix: 'Correct the pillar',
  },
  'example-failed': {
    level: 'note',
    what: 'A file does not compile for an example minion',
    why: 'It may need grains or pillar that only real minions have',
    fix: 'Give grains of a real minion with --grains, or run on the master',
  },
  'template-invalid': {
    level: 'error',
    what: 'A template cannot be parsed',
    why: 'Everything that renders it fails',
    fix: 'Correct the template',
  },
  'source-missing': {
    level: 'error',
    what: 'A state names a file that the file server does not have',
    why: 'The state fails',
    fix: 'Add the file, or correct the path',
  },
  'state-missing': {
    level: 'error',
    what: 'A state that Brine does not have',
    why: 'The state fails, and with it what requires it',
    fix: 'Use another state, or bring it as a module of your own in _states',
  },
  'state-arguments': {
    level: 'error',
    what: 'A state without an argument that it needs',
    why: 'The state fails',
    fix: 'Give the argument',
  },
  'state-unknown-argument': {
    level: 'warning',
    what: 'A state with an argument that it does not take',
    why: 'The argument has no effect',
    fix: 'Correct or remove the argument',
  },
  'function-missing': {
    level: 'error',
    what: 'An execution function that Brine does not have',
    why: 'The call fails when it is reached',
    fix: 'Use another function, or bring it as a module of your own in _modules',
  },
  'runner-missing': {
    level: 'error',
    what: 'A runner or wheel function that Brine does not have',
    why: 'The call fails when it is reached',
    fix: 'Use another function, or bring it as a module of your own in _runners',
  },
  'filter-missing': {
    level: 'error',
    what: 'A Jinja filter or test that Brine does not have',
    why: 'The template fails when it is reached',
    fix: 'Use another filter or test',
  },
  'renderer-missing': {
    level: 'error',
    what: 'A renderer that Brine does not have',
    why: 'The file renders to nothing or fails',
    fix: 'Write the file for another renderer',
  },
  'beacon-missing': {
    level: 'error',
    what: 'A beacon that Brine does not have',
    why: 'The beacon watches nothing',
    fix: 'Use another beacon, or bring it as a module of your own in _beacons',
  },
  'grain-missing': {
    level: 'note',
    what: 'A template reads a grain that no known minion has',
    why: 'The template fails, or takes another branch than was meant',
    fix: 'Correct the name, or set the grain',
  },
  'not-evaluated': {
    level: 'note',
    what: 'Something was left out because it runs code or asks the machine or the network',
    why: 'What depends on it was not checked, or only in part',
    fix: 'Check it on a test minion with state.show_highstate',
  },
  'python-syntax': {
    level: 'error',
    what: 'A Python module that does not parse',
    why: 'It does not load',
    fix: 'Correct it; code for Python 2 has to be ported',
  },
  'python-salt-import': {
    level: 'error',
    what: "A Python module imports a part of Salt that Brine's salt package does not have",
    why: 'The module does not load; a guarded import makes it turn itself off',
    fix: 'Import something else, or use __salt__, __grains__, __pillar__ and __opts__',
  },
  'python-package-import': {
    level: 'warning',
    what: 'A Python module imports a package that is not installed here',
    why: 'The module does not load where the package is missing',
    fix: 'Install the package for the Python of the minion (salt-pip install)',
  },
  'python-import-failed': {
    level: 'error',
    what: 'A Python module failed when it was imported',
    why: 'It does not load',
    fix: 'Correct the module',
  },
  'python-unchecked': {
    level: 'note',
    what: 'Python modules were not checked',
    why: 'No Python could be started here, or it ended on a file',
    fix: 'Install Python 3, or name one with the option python_executable',
  },
  'slow-pillar': {
    level: 'note',
    what: 'A pillar takes long to compile',
    why: 'Each state run of each minion waits for it',
    fix: 'Look for loops and large imports in its files',
  },
  'slow-sls': {
    level: 'note',
    what: 'An SLS file takes long to render',
    why: 'Each state run waits for it',
    fix: 'Look for loops and large imports in it',
  },
  'slow-command-in-template': {
    level: 'note',
    what: 'A template runs a command',
    why: 'The command runs at every rendering, also for test=True',
    fix: 'Use a grain, the mine, or a state with onlyif and unless',
  },
  'slow-big-file': {
    level: 'note',
    what: 'A very large file in the roots',
    why: 'Lists, hashes and transfers of it take long',
    fix: 'Serve it by a web server, and name its URL as the source',
  },
  'git-unread': {
    level: 'warning',
    what: 'A Git repository of this machine that cannot be read',
    why: 'The master cannot serve its files either',
    fix: 'Correct the address in gitfs_remotes, or the repository',
  },
  'slow-many-remotes': {
    level: 'note',
    what: 'Many Git remotes',
    why: 'Each update asks all of them',
    fix: 'Raise the update interval of remotes that change rarely',
  },
  'slow-top': {
    level: 'note',
    what: 'A minion with a very large number of SLS files or states',
    why: 'Its highstate takes long',
    fix: 'Split the work, or use fewer and larger states',
  },
  'slow-includes': {
    level: 'note',
    what: 'A long chain of includes',
    why: 'It is hard to see where a state comes from',
    fix: 'Include directly what is needed',
  },
  'secret-in-file': {
    level: 'warning',
    what: 'A secret in clear in a file of the state tree or the configuration',
    why: 'Every minion can fetch every file of the state tree',
    fix: 'Move it to pillar, encrypted with gpg, or to sdb or Vault',
  },
  'secret-in-pillar': {
    level: 'note',
    what: 'A secret in clear in a pillar file under version control',
    why: 'Whoever can read the repository can read the secret',
    fix: 'Encrypt it with gpg or nacl, or fetch it from Vault',
  },
  'file-skipped': {
    level: 'note',
    what: 'A file was not checked',
    why: 'It is too large, or no regular file, or a loop of links leads to it',
    fix: 'Look at it yourself',
  },
  'file-too-slow': {
    level: 'warning',
    what: 'A file took too long or too much memory, and was left out',
    why: 'Rendering it may stop a minion or the master',
    fix: 'Look for endless loops and for data that grows',
  },
} as const satisfies Readonly<Record<string, CodeFacts>>

export type Code = keyof typeof CODES

export const isCode = (name: string): name is Code => Object.hasOwn(CODES, name)
