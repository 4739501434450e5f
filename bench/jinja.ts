// Rendering and compiling templates against Python's Jinja2: a loop-heavy SLS, a formula's map.jinja with its merges, a
// configuration file; and the first compile of a 1,000-line template in a fresh process.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, variables } from './jinja-engine.ts'
import { type Comparison, compareWarm, median, type Row, report, sampler } from './measure.ts'
import { PythonPeer } from './peer.ts'
import type { Bench, BenchContext } from './run.ts'
import { loopHeavySls, loopHosts } from './templates/loops.ts'
import { proxyContext } from './templates/proxy.ts'

interface Workload {
  template: string
  context: Record<string, unknown>
  files?: Record<string, string>
  grains?: Record<string, unknown>
  pillar?: Record<string, unknown>
}

const MODULES = ['jinja2', 'yaml']
const COLD_ROUNDS = 5

const startPeer = (root: string): PythonPeer => new PythonPeer(root, 'jinja_workloads.py', MODULES)

function mapWorkload(folder: string): Workload {
  const names = readdirSync(join(folder, 'app'))
  const files = Object.fromEntries(
    names.map((name) => [`app/${name}`, readFileSync(join(folder, 'app', name), 'utf8')]),
  )
  const grains = { os_family: 'Debian', os: 'Debian', osfinger: 'Debian-12' }
  const pillar = { app: { listen: { port: 9090 }, features: { tracing: true } } }
  return { template: files['app/map.jinja']!, context: { grains }, files, grains, pillar }
}

async function warm(peer: PythonPeer, name: string, workload: Workload): Promise<Comparison> {
  const env = environment(workload)
  const template = env.fromString(workload.template)
  const context = variables(workload.context)
  const render = async () => (await env.renderTemplate(template, context)).text
  await peer.prepare(name, workload)
  const [ours, theirs] = [await render(), await peer.result(name)]
  if (ours !== theirs) throw new Error(`${name}: the two texts differ:\n${ours}\n--- and ---\n${theirs}`)
  return compareWarm(sampler(render), (times) => peer.sample(name, times))
}

/** Measure each sample in a separate process, where nothing is compiled or warmed up. */
async function cold({ root, bundle }: BenchContext, template: string): Promise<Row[]> {
  const program = await bundle('jinja-cold')
  const ours: Array<{ compile: number; render: number }> = []
  const theirs: Array<{ compile: number; render: number }> = []
  for (let round = 0; round < COLD_ROUNDS; round++) {
    ours.push(JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })))
    const peer = startPeer(root)
    await peer.prepare('compile', { template })
    const compile = await peer.sample('compile', 1)
    await peer.prepare('compile-and-render', { template, context: { hosts: loopHosts() } })
    theirs.push({ compile, render: await peer.sample('compile-and-render', 1) })
    peer.stop()
  }
  const medians = (what: 'compile' | 'render'): Comparison => ({
    ours: median(ours.map((sample) => sample[what])),
    theirs: median(theirs.map((sample) => sample[what])),
  })
  return [
    { what: 'first compile, 1,000 lines', ...medians('compile'), goal: 1 },
    { what: 'first compile and render', ...medians('render') },
  ]
}

const jinja: Bench = async (context) => {
  const folder = join(context.root, 'bench', 'templates')
  const loops = { template: loopHeavySls(), context: { hosts: loopHosts() } }
  const proxy = { template: readFileSync(join(folder, 'proxy.cfg.jinja'), 'utf8'), context: proxyContext() }
  const peer = startPeer(context.root)
  const rows: Row[] = [
    { what: 'loop-heavy SLS, 1,000 lines', ...(await warm(peer, 'loops', loops)), goal: 3 },
    { what: 'map.jinja with merges', ...(await warm(peer, 'map', mapWorkload(folder))), goal: 3 },
    { what: 'configuration file, 200 lines', ...(await warm(peer, 'proxy', proxy)), goal: 3 },
  ]
  peer.stop()
  rows.push(...(await cold(context, loops.template)))
  return report('Jinja, CPU time', 'Python Jinja2', rows)
}

export default jinja satisfies Bench
