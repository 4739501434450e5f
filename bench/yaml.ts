// Loading and dumping 5,000 lines of YAML against PyYAML's pure Python code and its C code, all in one run.
import { dump, load, renderYaml } from '../src/yaml/mod.ts'
import { compareWarm, type Row, report, sampler } from './measure.ts'
import { PythonPeer } from './peer.ts'
import type { Bench } from './run.ts'
import { siteYaml } from './yaml-text.ts'

const LINES = 5000

const bench: Bench = async ({ root }) => {
  const text = siteYaml(LINES)
  const value = load(text)
  const ours = {
    load: sampler(() => load(text)),
    positions: sampler(() => load(text, { positions: true })),
    render: sampler(() => renderYaml(text)),
    dump: sampler(() => dump(value, { default_flow_style: false })),
  }
  const python = new PythonPeer(root, 'yaml_workloads.py', ['yaml'])
  const rows: Row[] = []
  const measure = async (what: string, mine: keyof typeof ours, theirs: string, goal?: number): Promise<void> => {
    const times = await compareWarm(ours[mine], (count) => python.sample(theirs, count), { rounds: 5 })
    rows.push({ what, ...times, ...(goal !== undefined && { goal }) })
  }
  try {
    for (const name of ['load pure', 'load C', 'dump pure', 'dump C']) await python.prepare(name, text)
    await measure('load, against pure Python', 'load', 'load pure', 5)
    await measure('load, against C', 'load', 'load C', 1)
    await measure('load with positions, against C', 'positions', 'load C', 1)
    await measure('render, against C', 'render', 'load C', 1)
    await measure('dump, against pure Python', 'dump', 'dump pure')
    await measure('dump, against C', 'dump', 'dump C')
  } finally {
    python.stop()
  }
  return report(`YAML: ${LINES} lines, warm`, 'PyYAML', rows)
}

export default bench satisfies Bench
