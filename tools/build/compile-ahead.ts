// Runs built programs once, in a sandbox that is removed again, so that the loader keeps what they use in compiled form:
// the sample tree applied without a master, which passes through most of the engine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** JSON is YAML too, whatever characters the paths have. */
function writeMinionConfig(root: string, home: string): void {
  const tree = join(root, 'examples', 'tree')
  const options = {
    id: 'web1.example.com',
    root_dir: join(home, 'minion'),
    file_roots: { base: [join(tree, 'salt')] },
    pillar_roots: { base: [join(tree, 'pillar')] },
    file_client: 'local',
    grains: { shop_root: join(home, 'root') },
  }
  mkdirSync(join(home, 'etc'))
  writeFileSync(join(home, 'etc', 'minion'), JSON.stringify(options))
}

/**
 * Flags of V8 for which compiled forms come out the same each time: a fixed order of hash tables, no function dropped because it was not
 * used for a while, and no note of a function that became hot. The loader sets the usual ones again before it writes.
 */
const STEADY = ['--hash-seed=1', '--no-flush-bytecode', '--no-sparkplug']

/** `command` runs Node; programs for another processor are run by an emulator. */
export function compileAhead(root: string, outdir: string, command: readonly string[] = [process.execPath]): void {
  const home = mkdtempSync(join(tmpdir(), 'brine-build-'))
  try {
    writeMinionConfig(root, home)
    const [program, ...before] = command
    const words = [
      ...before,
      ...STEADY,
      join(outdir, 'salt-call.js'),
      '--local',
      '-c',
      join(home, 'etc'),
      'state.apply',
    ]
    const env = { ...process.env, BRINE_RECORD_CODE: '1' }
    execFileSync(program!, words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  } finally {
    rmSync(home, { recursive: true })
  }
}
