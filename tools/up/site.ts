// The little site of `npm run up`: a master and three minions on loopback, each with its configuration and everything it
// keeps below one folder, and commands that find it.
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ABSENT_PROGRAMS } from '../../src/cli/mod.ts'

export const MASTER = 'master'
export const MINIONS = ['db1', 'web1', 'web2'] as const

/** Commands of the site with the configuration they take; `salt-call` and `salt-minion` speak for one of the minions. */
const COMMANDS: Readonly<Record<string, string | undefined>> = {
  salt: MASTER,
  'salt-api': MASTER,
  'salt-call': 'web1',
  'salt-cloud': MASTER,
  'salt-cp': MASTER,
  'salt-key': MASTER,
  'salt-master': MASTER,
  'salt-minion': 'web1',
  'salt-pip': undefined,
  'salt-proxy': 'web1',
  'salt-run': MASTER,
  'salt-ssh': MASTER,
  'salt-syndic': MASTER,
  brine: undefined,
  ...Object.fromEntries(Object.keys(ABSENT_PROGRAMS).map((name) => [name, undefined])),
}

/** The path of a socket may have 107 characters, and those of minions lie 58 below the folder. */
const LONGEST_FOLDER = 45

export interface Site {
  /** The clone. */
  root: string
  /** Everything but the commands. */
  folder: string
  /** The commands. */
  bin: string
  publishPort: number
  returnPort: number
  apiPort: number
  /** The Node that daemons and commands run with. */
  node: string
}

export const siteOf = (root: string, port: number, brine = join(root, '.brine')): Site => ({
  root,
  folder: join(brine, 'up'),
  bin: join(brine, 'bin'),
  publishPort: port,
  returnPort: port + 1,
  apiPort: port + 2,
  node: process.execPath,
})

export const programsOf = (site: Site): string => join(site.folder, 'dist')
export const configOf = (site: Site, name: string): string => join(site.folder, 'etc', name)
export const logOf = (site: Site, name: string): string => join(site.folder, 'log', name)

/** Where the master has its sockets. */
export const socketsOf = (site: Site): string => join(rootOf(site, MASTER), 'var/run/salt/master')

/** Return the folder that a daemon uses as the root of the file system. */
const rootOf = (site: Site, name: string): string => join(dataOf(site), name)

/** Where the states of the sample tree write. */
export const writtenOf = (site: Site): string => join(dataOf(site), 'root')

/** The site's folder, unless sockets or the sample tree's shell commands could not have such a path. */
function dataOf({ folder }: Site): string {
  if (folder.length <= LONGEST_FOLDER && /^[\w./-]+$/.test(folder)) return folder
  const mark = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  return join(tmpdir(), `brine-up-${mark}`)
}

/** Rewrite the configuration and the commands; nothing of an earlier site remains. */
export function writeSite(site: Site): void {
  for (const folder of [site.folder, dataOf(site)]) rmSync(folder, { recursive: true, force: true })
  for (const folder of [join(site.folder, 'log'), writtenOf(site)]) mkdirSync(folder, { recursive: true })
  mkdirSync(site.bin, { recursive: true })
  cpSync(join(site.root, 'examples', 'tree'), treeOf(site), { recursive: true })
  configure(site, MASTER, 'master', masterOptions(site))
  writeFileSync(usersOf(site), `${API_USER}:${randomBytes(12).toString('hex')}\n`, { mode: 0o600 })
  for (const id of MINIONS) configure(site, id, 'minion', minionOptions(site, id))
  for (const [command, config] of Object.entries(COMMANDS)) writeCommand(site, command, config)
}

/** JSON is valid YAML, whatever characters the paths contain. */
function configure(site: Site, name: string, file: string, options: object): void {
  mkdirSync(configOf(site, name), { recursive: true })
  const lines = Object.entries(options).map(([option, value]) => `${option}: ${JSON.stringify(value)}`)
  writeFileSync(join(configOf(site, name), file), `${lines.join('\n')}\n`)
}

/** The copy of the sample tree that the master serves, where users may add files. */
const treeOf = (site: Site): string => join(site.folder, 'tree')

/** The user of the API, with all rights. */
const API_USER = 'admin'

/** The file with the name and the password of that user. */
export const usersOf = (site: Site): string => join(site.folder, 'api-users')

const API_CLIENTS = [
  'local',
  'local_async',
  'local_batch',
  'local_subset',
  'runner',
  'runner_async',
  'wheel',
  'wheel_async',
]

const masterOptions = (site: Site) => ({
  interface: '127.0.0.1',
  publish_port: site.publishPort,
  ret_port: site.returnPort,
  root_dir: rootOf(site, MASTER),
  file_roots: { base: [join(treeOf(site), 'salt')] },
  pillar_roots: { base: [join(treeOf(site), 'pillar')] },
  reactor: [{ 'shop/deploy': [join(treeOf(site), 'reactor/deploy.sls')] }],
  // this master answers on loopback only
  auto_accept: true,
  rest_cherrypy: { host: '127.0.0.1', port: site.apiPort, disable_ssl: true },
  netapi_enable_clients: API_CLIENTS,
  external_auth: { file: { '^filename': usersOf(site), [API_USER]: ['.*', '@runner', '@wheel', '@jobs'] } },
})

const minionOptions = (site: Site, id: string) => ({
  id,
  master: '127.0.0.1',
  publish_port: site.publishPort,
  master_port: site.returnPort,
  root_dir: rootOf(site, id),
  // a state run waits for the dry run below, and the other way round
  state_queue: true,
  // a dry run of the highstate every minute: the console shows its changes as drift
  schedule: { drift: { function: 'state.apply', kwargs: { test: true }, minutes: 1, splay: 10 } },
  grains: { role: id.replace(/\d+$/, ''), shop_root: join(writtenOf(site), id) },
})

function writeCommand(site: Site, command: string, config: string | undefined): void {
  const words = [site.node, join(programsOf(site), `${command}.js`)]
  if (config !== undefined) words.push('-c', configOf(site, config))
  const file = join(site.bin, command)
  writeFileSync(file, `#!/bin/sh\nexec ${words.map(quoted).join(' ')} "$@"\n`)
  chmodSync(file, 0o755)
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
