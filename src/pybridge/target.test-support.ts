// A target for tests: programs of this machine, reached by their standard streams and without the environment of this process.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalHost, type RemotePrograms } from '../host/mod.ts'
import { interpreter } from '../python/mod.ts'

export class TestTarget implements RemotePrograms {
  readonly children: ChildProcess[] = []
  /** An empty folder: the working directory of started processes. */
  readonly home: string = mkdtempSync(join(tmpdir(), 'brine-target-'))
  private readonly path: string
  /** The output of a login before the program begins. */
  greeting = ''

  /** `python` may be a text that is run in its place, or null for a machine without one. */
  constructor(python: string | null | undefined = undefined) {
    const bin = mkdtempSync(join(tmpdir(), 'brine-target-bin-'))
    for (const name of ['sh', 'cat', 'sleep']) symlinkSync(join('/bin', name), join(bin, name))
    if (python === undefined) symlinkSync(interpreter('python3'), join(bin, 'python3'))
    else if (python !== null) writeFileSync(join(bin, 'python3'), python, { mode: 0o755 })
    this.path = bin
  }

  async spawn(argv: readonly string[]): Promise<ChildProcess> {
    const line = this.greeting === '' ? [...argv] : ['sh', '-c', `echo '${this.greeting}'; exec "$@"`, 'sh', ...argv]
    const env = { PATH: this.path, TARGET: 'yes' }
    const child = spawn(join(this.path, line[0]!), line.slice(1), { cwd: this.home, env, stdio: 'pipe' })
    this.children.push(child)
    return child
  }

  /** A host that is reached through this target. */
  host(): LocalHost {
    return Object.assign(new LocalHost(), { remote: this as RemotePrograms })
  }

  close(): void {
    for (const child of this.children) child.kill('SIGKILL')
  }
}
