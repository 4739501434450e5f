// Averages of the measurements of `iostat -x`, for the machine and each device.
import { type Dict, float, SaltError, splitLines, splitWords } from '../../../../data/mod.ts'
import { type FunctionContext, runAll } from '../../../../sdk/mod.ts'

function averages(header: readonly string[], rows: readonly number[][]): Dict {
  const mean = (at: number): number => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / rows.length
  return new Map(header.map((name, at) => [name, float(Number(mean(at).toFixed(2)))]))
}

const numbers = (words: readonly string[]): number[] => words.map((word) => Number(word.replace(',', '.')))

export async function iostat(
  ctx: FunctionContext,
  interval: number,
  count: number,
  disks: string[] | null,
): Promise<Dict> {
  if ((await ctx.host.which('iostat')) === undefined) {
    throw new SaltError('SaltException', "The 'iostat' binary was not found in $PATH.")
  }
  const command = `iostat ${disks === null ? '-x' : '-xd'} ${interval} ${count} ${disks?.join(' ') ?? ''}`
  const lines = splitLines((await runAll(ctx, command, { output_loglevel: 'quiet' })).stdout)
  const system: number[][] = []
  const devices = new Map<string, number[][]>()
  let [systemHeader, deviceHeader]: [string[], string[]] = [[], []]
  let reads: 'nothing' | 'system' | 'devices' = 'nothing'
  for (const line of lines) {
    const words = splitWords(line)
    if (line.startsWith('avg-cpu:')) [systemHeader, reads] = [words.slice(1), 'system']
    else if (/^Device:?\s/.test(line)) [deviceHeader, reads] = [words.slice(1), 'devices']
    else if (reads === 'system') {
      system.push(numbers(words))
      reads = 'nothing'
    } else if (words.length === 0) reads = 'nothing'
    else if (reads === 'devices') {
      const [device = '', ...columns] = words
      devices.set(device, [...(devices.get(device) ?? []), numbers(columns)])
    }
  }
  const found: Dict = new Map()
  if (systemHeader.length > 0) found.set('sys', averages(systemHeader, system))
  for (const [device, rows] of devices) found.set(device, averages(deviceHeader, rows))
  return found
}
