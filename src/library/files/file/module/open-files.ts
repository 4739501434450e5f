// The open files of the processes on this machine, from /proc. Processes can start and end meanwhile.
import { type Dict, sorted, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, unlessRefused } from '../../../../sdk/mod.ts'

export async function openFiles(ctx: FunctionContext, byPid: boolean): Promise<Dict> {
  const pids: Dict = new Map()
  const files = new Map<string, Set<number>>()
  for (const name of await ctx.host.list('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const pid = Number(name)
    const open = new Set<string>()
    for (const path of await descriptors(ctx, `/proc/${name}`)) {
      const file = await unlessRefused(ctx.host.realPath(path), undefined)
      if (file === undefined || !(await unlessRefused(ctx.host.stat(file), undefined))) continue
      open.add(file)
      files.set(file, (files.get(file) ?? new Set()).add(pid))
    }
    pids.set(pid, sorted([...open]))
  }
  if (byPid) return pids
  return new Map<Value, Value>([...files].map(([file, users]) => [file, sorted([...users])]))
}

async function descriptors(ctx: FunctionContext, process: string): Promise<string[]> {
  const found = new Set<string>()
  const tasks = await unlessRefused(ctx.host.list(`${process}/task`), [])
  for (const home of [process, ...tasks.map((task) => `${process}/task/${task}`)]) {
    if (home !== process) found.add(`${home}/exe`)
    for (const fd of await unlessRefused(ctx.host.list(`${home}/fd`), [])) found.add(`${home}/fd/${fd}`)
  }
  return [...found].sort()
}
