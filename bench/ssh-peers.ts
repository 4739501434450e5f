// The programs that the ssh bench compares, each with the same work in its own words: a ping, and 30 states in a directory of each
// target's own. Every side runs with its best settings.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { saltPython } from './bench-master.ts'
import { siteTemplate } from './local-trees.ts'

/** A target as a side reaches it. */
export interface Target {
  id: string
  port: number
  /** The private key that logs in. */
  key: string
}

/** The connection to the targets: direct, or with a long delay. */
export interface Way {
  name: string
  /** Part of file names. */
  key: string
  targets: readonly Target[]
}

export interface Command {
  argv: string[]
  env: NodeJS.ProcessEnv
}

export type Work = 'ping' | 'tree'

export interface Side {
  name: string
  /** The command for that work on the first target, or on all. */
  command(work: Work, way: Way, scope: 'one' | 'all'): Command
  /** End kept connections, and remove files on the targets. */
  forget(): void
  /** The files of a target that the work left. */
  left(id: string): string[]
}

/** The states of the tree by kind, 30 together; each leaves one file, directory or link. */
const COUNTS = { directory: 7, file: 14, command: 6, link: 3 }

export const STATES: number = Object.values(COUNTS).reduce((sum, count) => sum + count)

const USER = userInfo().username

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** The tree in Salt's words. */
function sls(base: string): string {
  const lines = [`{%- set base = '${base}/' ~ grains.id %}`]
  const add = (name: string, fun: string, args: object[]): void => {
    lines.push(`${name}:`, `  ${fun}:`, ...args.map((arg) => `    - ${JSON.stringify(arg)}`))
  }
  for (const i of numbers(COUNTS.directory)) {
    add(`{{ base }}/d${i}`, 'file.directory', [{ mode: '0755' }, { makedirs: true }])
  }
  for (const i of numbers(COUNTS.file)) {
    const context = { number: i, name: `site-${i}` }
    const source = [{ source: 'salt://site.conf.jinja' }, { template: 'jinja' }, { mode: '0644' }, { context }]
    add(`{{ base }}/d${i % COUNTS.directory}/site-${i}.conf`, 'file.managed', source)
  }
  for (const i of numbers(COUNTS.command)) {
    const path = `{{ base }}/d${i}/made`
    add(`echo made > ${path}`, 'cmd.run', [{ unless: `test -f ${path}` }])
  }
  for (const i of numbers(COUNTS.link)) {
    add(`{{ base }}/d${i}/link`, 'file.symlink', [{ target: `{{ base }}/d${i}/site-${i}.conf` }])
  }
  return `${lines.join('\n')}\n`
}

/** The same in Ansible's words; JSON is YAML. */
function playbook(base: string, source: string): string {
  const root = `${base}/{{ inventory_hostname }}`
  const tasks: object[] = []
  for (const i of numbers(COUNTS.directory)) {
    tasks.push({ file: { path: `${root}/d${i}`, state: 'directory', mode: '0755' } })
  }
  for (const i of numbers(COUNTS.file)) {
    const dest = `${root}/d${i % COUNTS.directory}/site-${i}.conf`
    tasks.push({ template: { src: source, dest, mode: '0644' }, vars: { number: i, name: `site-${i}` } })
  }
  for (const i of numbers(COUNTS.command)) {
    const path = `${root}/d${i}/made`
    tasks.push({ shell: { cmd: `echo made > ${path}`, creates: path } })
  }
  for (const i of numbers(COUNTS.link)) {
    const src = `${root}/d${i}/site-${i}.conf`
    tasks.push({ file: { src, dest: `${root}/d${i}/link`, state: 'link' } })
  }
  return JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }])
}

function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  return path
}

const filesBelow = (path: string): string[] => readdirSync(path, { recursive: true }).map(String)

/** Ours or Salt's, which read the same configuration. */
function saltSide(name: string, folder: string, program: Command): Side {
  const home = emptyFolder(join(folder, name))
  const [tree, etc, targets, thins] = ['tree', 'etc', 'targets', 'thins'].map((part) => emptyFolder(join(home, part)))
  writeFileSync(join(tree!, 'site.conf.jinja'), siteTemplate('grains.id'))
  writeFileSync(join(tree!, 'tree.sls'), sls(targets!))
  const options = { root_dir: home, pki_dir: join(home, 'pki'), file_roots: { base: [tree] }, log_level: 'error' }
  writeFileSync(join(etc!, 'master'), JSON.stringify({ ...options, user: USER }))
  return {
    name,
    command(work, way, scope) {
      const roster = join(etc!, `roster-${way.key}`)
      const entry = ({ id, port, key }: Target): object => ({
        ...{ host: '127.0.0.1', port, user: USER, priv: key },
        // Salt's -i does not reach its scp
        ssh_options: ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null'],
        // the targets are one machine, and Salt would unpack itself in one place for all
        thin_dir: join(thins!, `${way.key}-${id}`),
      })
      writeFileSync(roster, JSON.stringify(Object.fromEntries(way.targets.map((target) => [target.id, entry(target)]))))
      const fixed = ['-c', etc!, '--roster-file', roster]
      const words = work === 'ping' ? ['test.ping'] : ['state.apply', 'tree']
      const target = scope === 'one' ? way.targets[0]!.id : '*'
      return { argv: [...program.argv, ...fixed, target, ...words], env: program.env }
    },
    forget: () => [targets!, thins!].forEach(emptyFolder),
    left: (id) => filesBelow(join(targets!, id)),
  }
}

export function brineSide(folder: string, dist: string): Side {
  return saltSide('brine', folder, { argv: [process.execPath, join(dist, 'salt-ssh.js')], env: {} })
}

/** Real Salt out of the checkout that SALT_TREE names; undefined without one. */
export function realSaltSide(folder: string): Side | undefined {
  const tree = process.env['SALT_TREE']
  if (!tree) return undefined
  const start = "import sys; sys.argv[0] = 'salt-ssh'; from salt.scripts import salt_ssh; salt_ssh()"
  const path = [tree, process.env['SALT_PYTHONPATH']].filter(Boolean).join(':')
  const argv = [saltPython(), '-W', 'ignore', '-c', start]
  return saltSide('salt', folder, { argv, env: { PYTHONPATH: path } })
}

const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined

/** Ansible with pipelining, kept connections, no facts gathered, and as many hosts at once as the others take. */
export function ansibleSide(folder: string): Side | undefined {
  if (!isInstalled('ansible-playbook')) return undefined
  const home = emptyFolder(join(folder, 'ansible'))
  const [targets, sockets] = ['targets', 'cp'].map((part) => emptyFolder(join(home, part)))
  const [config, play, source] = ['ansible.cfg', 'play.yml', 'site.conf.j2'].map((name) => join(home, name))
  const kept = '-o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=/dev/null'
  const settings = [
    '[defaults]',
    'host_key_checking = False',
    'forks = 25',
    `local_tmp = ${home}/tmp`,
    'interpreter_python = /usr/bin/python3',
    '[ssh_connection]',
    'pipelining = True',
    `ssh_args = ${kept}`,
    `control_path_dir = ${sockets}`,
  ]
  writeFileSync(config!, `${settings.join('\n')}\n`)
  writeFileSync(source!, siteTemplate('inventory_hostname'))
  writeFileSync(play!, playbook(targets!, source!))
  return {
    name: 'ansible',
    command(work, way, scope) {
      const inventory = join(home, `inventory-${way.key}`)
      const line = ({ id, port, key }: Target): string =>
        `${id} ansible_host=127.0.0.1 ansible_port=${port} ansible_ssh_private_key_file=${key}`
      const all = `[all:vars]\nansible_user=${USER}\n`
      writeFileSync(inventory, `${way.targets.map(line).join('\n')}\n${all}`)
      const target = scope === 'one' ? way.targets[0]!.id : 'all'
      const words = work === 'ping' ? ['ansible', target, '-m', 'ping'] : ['ansible-playbook', play!, '--limit', target]
      return { argv: [...words, '-i', inventory], env: { ANSIBLE_CONFIG: config!, ANSIBLE_NOCOLOR: '1' } }
    },
    forget() {
      for (const name of readdirSync(sockets!)) {
        execFileSync('ssh', ['-o', `ControlPath=${join(sockets!, name)}`, '-O', 'exit', 'any'], { stdio: 'ignore' })
      }
      emptyFolder(targets!)
    },
    left: (id) => filesBelow(join(targets!, id)),
  }
}
