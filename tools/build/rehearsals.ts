// Short runs of built programs, in a sandbox that is removed again. The build learns from them which parts commands load together, and
// lets the loader keep what the commands use in compiled form.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Rehearsal {
  words: string[]
  /** Whether a failure is expected where something is missing: no master runs, and an emulated Node may have no driver of databases. */
  mayFail?: boolean
}

/** The sample tree passes through most of the engine, so it comes first: a compiled form has the functions of the first run that needs it. */
const REHEARSALS: readonly Rehearsal[] = [
  { words: ['salt-call', '--local', 'state.apply'] },
  { words: ['salt-call', '--local', 'state.apply', 'nothing'] },
  { words: ['salt-call', '--local', 'test.ping'] },
  { words: ['salt-call', '--local', 'grains.items', '--out=json'] },
  { words: ['salt-key', '-L'] },
  { words: ['salt-run', 'jobs.list_jobs'], mayFail: true },
  { words: ['salt', '-t', '1', '*', 'test.ping'], mayFail: true },
  { words: ['salt-ssh', 'web1.example.com', 'test.ping'], mayFail: true },
  { words: ['salt-ssh', 'web1.example.com', 'state.apply'], mayFail: true },
]

/** Stands for ssh: the target is the sandbox itself. No shell waits there for the next program, which would outlive the rehearsal. */
const SSH = `#!/bin/sh
case " $* " in *' ControlMaster=no '*|*' -O '*) exit 255;; esac
while [ "$1" != -- ]; do shift; done
shift 2
exec /bin/sh -c "$*"
`

/** JSON is valid YAML, whatever characters the paths contain. */
function writeConfig(root: string, home: string): void {
  const tree = join(root, 'examples', 'tree')
  const states = join(home, 'states')
  mkdirSync(states)
  // the engine alone, apart from the states of the sample tree
  writeFileSync(join(states, 'nothing.sls'), 'nothing:\n  test.nop: []\n')
  const roots = { file_roots: { base: [join(tree, 'salt'), states] }, pillar_roots: { base: [join(tree, 'pillar')] } }
  const minion = {
    id: 'web1.example.com',
    root_dir: join(home, 'minion'),
    file_client: 'local',
    grains: { shop_root: join(home, 'root') },
  }
  mkdirSync(join(home, 'etc'))
  writeFileSync(join(home, 'etc', 'minion'), JSON.stringify({ ...minion, ...roots }))
  // no key is made
  const master = { root_dir: join(home, 'master'), ssh_priv: 'agent-forwarding', ...roots }
  writeFileSync(join(home, 'etc', 'master'), JSON.stringify(master))
  const { id, grains } = minion
  writeFileSync(join(home, 'etc', 'roster'), JSON.stringify({ [id]: { host: '127.0.0.1', grains } }))
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'ssh'), SSH, { mode: 0o755 })
}

/** Run all rehearsals with these variables in their environment. `node` is the command of Node, `flags` are some of V8's. */
export function rehearse(
  root: string,
  outdir: string,
  variables: Readonly<Record<string, string>>,
  { node = [process.execPath], flags = [] }: { node?: readonly string[]; flags?: readonly string[] } = {},
): void {
  const home = mkdtempSync(join(tmpdir(), 'brine-build-'))
  try {
    writeConfig(root, home)
    const [program = '', ...before] = node
    // programs that are built elsewhere have no packages beside them
    const PATH = `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`
    const env = { ...process.env, NODE_PATH: join(root, 'node_modules'), PATH, ...variables }
    for (const { words, mayFail } of REHEARSALS) {
      const [name, ...rest] = words
      const line = [...before, ...flags, join(outdir, `${name}.js`), '-c', join(home, 'etc'), ...rest]
      const { status, stderr, error } = spawnSync(program, line, { env, encoding: 'utf8' })
      if (error !== undefined) throw error
      if (status !== 0 && !mayFail) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
    }
  } finally {
    rmSync(home, { recursive: true })
  }
}
