// A Python process that measures the same workloads as we do, in the same run. It speaks JSON lines; see
// python/peer.py for the requests.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** There is nothing to measure against; the bench ends with exit code 2. */
export class NoPeerError extends Error {}

/** A python3 that can import the modules: $PYTHON, or the first one found. */
export function findPython(modules: string[]): string {
  const candidates = process.env['PYTHON'] ? [process.env['PYTHON']] : ['python3', '/usr/bin/python3']
  const imports = modules.map((name) => `import ${name}`).join('; ')
  for (const python of candidates) {
    if (spawnSync(python, ['-c', imports], { stdio: 'ignore' }).status === 0) return python
  }
  const packages = modules.join(' and ')
  throw new NoPeerError(`No python3 that can import ${packages}; install them, or name one with PYTHON=…`)
}

export class PythonPeer {
  private readonly child: ChildProcessWithoutNullStreams
  private readonly replies: AsyncIterator<string>

  /** `workloads` is a file of bench/python/. */
  constructor(root: string, workloads: string, modules: string[]) {
    const folder = join(root, 'bench', 'python')
    this.child = spawn(findPython(modules), [join(folder, 'peer.py'), join(folder, workloads)])
    this.child.stderr.pipe(process.stderr)
    this.replies = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  private async ask(request: object): Promise<Record<string, unknown>> {
    this.child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await this.replies.next()
    if (done) throw new Error('The Python peer ended')
    const reply = JSON.parse(value)
    if (reply.error !== undefined) throw new Error(`The Python peer failed: ${reply.error}`)
    return reply
  }

  async prepare(name: string, payload: unknown): Promise<void> {
    await this.ask({ prepare: name, payload })
  }

  /** CPU milliseconds of that many calls. */
  async sample(name: string, times: number): Promise<number> {
    return (await this.ask({ sample: name, times }))['cpu_ms'] as number
  }

  async result(name: string): Promise<unknown> {
    return (await this.ask({ result: name }))['result']
  }

  stop(): void {
    this.child.stdin.end()
  }
}
