// salt-ssh in the lab: a controller that has our programs, targets that have an sshd and no Node or Python, and twins that run the same
// trees with salt-call.
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, answerDifferences, snapshotDifferences } from './compare/difference.ts'
import { call, OURS } from './compare/sides.ts'
import { type Snapshot, snapshot } from './compare/snapshot.ts'
import type { Host } from './host.ts'
import { MOUNTS } from './root.ts'

/** States, pillar and options that a controller and a twin both have. */
export interface Tree {
  /** Folder of this machine with the states. */
  states: string
  /** Files below /srv/pillar and what they hold, or a folder of this machine. */
  pillar: Record<string, string> | string
  options?: object
  sls: string
}

const KEY = '/etc/salt/pki/master/ssh/salt-ssh.rsa'

/** A tree of lab/trees. */
export function ownTree(name: string, sls = name): Tree {
  const folder = join(import.meta.dirname, 'trees', name)
  return { states: join(folder, 'salt'), pillar: join(folder, 'pillar'), sls }
}

const optionsOf = ({ options }: Tree) => ({
  file_roots: { base: ['/srv/salt'] },
  pillar_roots: { base: ['/srv/pillar'] },
  ...options,
})

function give(host: Host, { states, pillar }: Tree): void {
  for (const folder of ['/srv/salt', '/srv/pillar']) mkdirSync(host.path(folder), { recursive: true })
  cpSync(states, host.path('/srv/salt'), { recursive: true })
  if (typeof pillar === 'string') cpSync(pillar, host.path('/srv/pillar'), { recursive: true })
  else for (const [name, text] of Object.entries(pillar)) host.write(join('/srv/pillar', name), text)
}

export class Controller {
  readonly host: Host

  private constructor(host: Host) {
    this.host = host
  }

  /** Make a host the controller: with the program, and a key that targets are given. */
  static async on(host: Host): Promise<Controller> {
    const program = `${MOUNTS.program}/dist/salt-ssh.js`
    mkdirSync(host.path('/etc/salt/pki/master/ssh'), { recursive: true })
    await host.run(['sh', '-ec', `ln -sf ${program} /usr/local/bin/salt-ssh; ssh-keygen -q -t ed25519 -N '' -f ${KEY}`])
    return new Controller(host)
  }

  /** Let the controller's key log in to a target, and tell the controller the target's host key. */
  async meet(target: Host, home = '/root', user = 'root'): Promise<void> {
    const keys = `${home}/.ssh/authorized_keys`
    target.write(keys, this.host.read(`${KEY}.pub`), 0o600)
    await target.run(['chown', '-R', `${user}:`, `${home}/.ssh`])
    await target.run(['chmod', '700', `${home}/.ssh`])
    this.trust(target.address, target.read('/etc/ssh/ssh_host_ed25519_key.pub'))
  }

  /** Know the host key of an address, or of `[address]:port`. */
  trust(address: string, key: string): void {
    const file = '/root/.ssh/known_hosts'
    mkdirSync(this.host.path('/root/.ssh'), { recursive: true })
    const [type, text] = key.split(' ')
    this.host.write(file, `${known(this.host, file)}${address} ${type} ${text!.trim()}\n`)
  }

  write(tree: Tree, roster: Record<string, object>): void {
    give(this.host, tree)
    this.host.write('/etc/salt/master', JSON.stringify(optionsOf(tree)))
    this.host.write('/etc/salt/roster', JSON.stringify(roster))
  }

  /** What salt-ssh answers for one target. */
  async ask(id: string, ...words: string[]): Promise<Answer> {
    const { stdout, stderr } = await this.host.attempt([
      'salt-ssh',
      '--out=json',
      '--static',
      '-l',
      'error',
      id,
      ...words,
    ])
    try {
      return JSON.parse(stdout)[id]
    } catch {
      throw new Error(`salt-ssh ${id} ${words.join(' ')} gave no JSON: ${stdout}${stderr}`)
    }
  }
}

function known(host: Host, file: string): string {
  try {
    return host.read(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return ''
  }
}

/** What a tree did to a host, run by run. */
export interface Course {
  answers: Record<'dry' | 'first' | 'second', Answer>
  after: Snapshot
}

type Apply = (...args: string[]) => Promise<Answer>

async function course(host: Host, apply: Apply): Promise<Course> {
  const answers = { dry: await apply('test=True'), first: await apply(), second: await apply() }
  return { answers, after: await snapshot(host) }
}

export const overSsh = (controller: Controller, id: string, target: Host, { sls }: Tree): Promise<Course> =>
  course(target, (...args) => controller.ask(id, 'state.apply', sls, ...args))

/** The same tree by salt-call on a host that has it. */
export function byItself(id: string, twin: Host, tree: Tree): Promise<Course> {
  give(twin, tree)
  twin.write('/etc/salt/minion', JSON.stringify({ id, file_client: 'local', ...optionsOf(tree) }))
  return course(twin, (...args) => call(twin, OURS, ['state.apply', tree.sls, ...args]))
}

/** Where two courses differ; the trees themselves lie only where salt-call read them. */
export function differences(ssh: Course, local: Course): string[] {
  const runs = Object.keys(local.answers) as (keyof Course['answers'])[]
  const said = runs.flatMap((run) =>
    answerDifferences(ssh.answers[run], local.answers[run]).map((line) => `${run} run: ${line}`),
  )
  const left = snapshotDifferences(ssh.after, local.after).filter((line) => !ONLY_THERE.test(line))
  return [...said, ...left]
}

/** What the two hosts have differently before any run: the trees, the key that logs in, and who logged in. */
const ONLY_THERE = /^files: \/(srv|root\/\.ssh|home\/\w+\/\.ssh)(\/|\n|$)|^services: (user@|user-runtime-dir@|session-)/

/** What a session leaves where temporary files lie; a target has none of ours. */
export async function leftovers(target: Host): Promise<string[]> {
  const find = "find /tmp /var/tmp /run /root /home -name '*brine*' -o -name '.*.tmp' -o -name '*salt*'"
  return (await target.run(['sh', '-c', find])).split('\n').filter((line) => line !== '')
}
