// The two programs that are compared, as commands of a host: ours, and the salt-call of a checkout of Salt with the
// Python packages of Debian.
import { delimiter } from 'node:path'
import type { Host } from '../host.ts'
import type { Answer } from './difference.ts'

export interface Side {
  name: string
  command: string[]
  env: Record<string, string>
}

/** What Salt imports, by Debian's names. */
export const PYTHON_PACKAGES = [
  'python3',
  'python3-apt',
  'python3-cryptography',
  'python3-dateutil',
  'python3-distro',
  'python3-jinja2',
  'python3-jmespath',
  'python3-msgpack',
  'python3-packaging',
  'python3-psutil',
  'python3-requests',
  'python3-tornado',
  'python3-yaml',
  'python3-zmq',
]

const MOUNT = '/opt/salt'
const START = 'import sys; sys.argv[0] = "salt-call"; from salt.scripts import salt_call; salt_call()'

export const OURS: Side = { name: 'ours', command: ['salt-call'], env: {} }

/** Salt's side, and what has to be mounted for it. */
export function saltSide(tree: string, path: string): { side: Side; mounts: Record<string, string> } {
  const folders = [tree, ...path.split(delimiter).filter(Boolean)]
  const mounts = Object.fromEntries(folders.map((folder, i) => [folder, `${MOUNT}/${i}`]))
  const env = { PYTHONPATH: Object.values(mounts).join(delimiter), PYTHONDONTWRITEBYTECODE: '1' }
  return { side: { name: "Salt's", command: ['python3', '-W', 'ignore', '-c', START], env }, mounts }
}

const TEN_MINUTES = 600_000

/** What a side answers to a call of a function. */
export async function call(host: Pick<Host, 'attempt'>, side: Side, args: string[]): Promise<Answer> {
  const argv = [...side.command, '--local', '--out=json', '--log-level=error', ...args]
  const { stdout, stderr } = await host.attempt(argv, { env: side.env, timeout: TEN_MINUTES })
  if (process.env['BRINE_LAB_VERBOSE'] && stderr.trim()) process.stderr.write(`[${side.name}] ${stderr.trim()}\n`)
  try {
    return JSON.parse(stdout).local
  } catch {
    return `no JSON: ${stdout}${stderr}`
  }
}

/** Why a side cannot be compared on this host, in one line: it does not answer a ping. Undefined when it does. */
export async function startProblem(host: Pick<Host, 'attempt'>, side: Side): Promise<string | undefined> {
  const answer = await call(host, side, ['test.ping'])
  if (answer === true) return undefined
  // the last line of a Python traceback names the error
  return String(answer).trim().split('\n').at(-1)!
}
