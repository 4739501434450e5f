import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { until } from '../../test/until.ts'
import { type Dict, Float, fromPlain, type Value } from '../data/mod.ts'
import type { MinionPillarRequest } from '../pillar/mod.ts'
import { PillarPool, type PoolSettings } from './pillar-pool.ts'

const root = mkdtempSync(join(tmpdir(), 'brine-pillar-'))
for (const folder of ['pillar', 'pki', 'cache']) mkdirSync(join(root, folder))
writeFileSync(join(root, 'pillar', 'top.sls'), "base:\n  '*': [app]\n")
writeFileSync(
  join(root, 'pillar', 'app.sls'),
  "maker: {{ salt['cmd.shell']('echo $PPID') }}\nwhose: {{ grains.id }}\nhalf: 1.0\n",
)
const opts = fromPlain({
  ...{ pki_dir: join(root, 'pki'), cachedir: join(root, 'cache'), file_client: 'local' },
  ...{ pillar_roots: { base: [join(root, 'pillar')] }, file_roots: { base: [] }, renderer: 'jinja|yaml' },
}) as Dict

const HERE: Dict = new Map<Value, Value>([['made', 'here']])
const pools: PillarPool[] = []
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const logged: string[] = []
function poolWith(more: Partial<PoolSettings> = {}): PillarPool {
  const program = join(import.meta.dirname, '..', 'cli', 'salt-master.ts')
  const log: PoolSettings['log'] = (level, text) => void logged.push(`${level}: ${text}`)
  const pool = new PillarPool({ program, opts, log, most: 1, ownMs: 1, ...more })
  pools.push(pool)
  return pool
}

const request = (id: string): MinionPillarRequest => ({ id, grains: new Map([['id', id]]) })

/** A pillar that takes its time. */
const slowly = async (): Promise<Dict> => {
  await sleep(20)
  return HERE
}

/** Ask until another process answers; return its result. */
async function fromElsewhere(pool: PillarPool): Promise<Dict> {
  let made: Dict = HERE
  await until('a process that makes pillar', async () => {
    made = await pool.make(request('web1'), slowly)
    return made !== HERE
  })
  return made
}

describe('a pool of processes for pillar', () => {
  it('makes pillar here as long as that takes little time, and then leaves it to a process', async () => {
    const lazy = poolWith({ ownMs: 60_000 })
    await lazy.make(request('web1'), slowly)
    await sleep(2000)
    expect(await lazy.make(request('web1'), slowly)).toBe(HERE)
    const pool = poolWith()
    const pillar = await fromElsewhere(pool)
    expect(pillar.get('whose')).toBe('web1')
    expect(pillar.get('half')).toEqual(new Float(1))
    expect(pillar.get('maker')).not.toBe(process.pid)
  })

  it('leaves a large request to a process from the first one on', async () => {
    const pool = poolWith({ ownMs: 60_000 })
    const pillar = await pool.make(request('web1'), async () => HERE, true)
    expect(pillar.get('whose')).toBe('web1')
  })

  it('makes a large request here where no process can be started', async () => {
    const pool = poolWith({ most: 0 })
    expect(await pool.make(request('web1'), async () => HERE, true)).toBe(HERE)
  })

  it('makes pillar here after a process died', async () => {
    const pool = poolWith()
    const maker = Number((await fromElsewhere(pool)).get('maker'))
    process.kill(maker, 'SIGSTOP')
    const asked = pool.make(request('web3'), async () => HERE)
    process.kill(maker, 'SIGKILL')
    expect(await asked).toBe(HERE)
    await until('the end to be told', () => logged.includes('error: A process for pillar ended by itself: SIGKILL'))
  })

  it('has no process any more when it is quiet', async () => {
    const pool = poolWith({ idleMs: 200 })
    const maker = Number((await fromElsewhere(pool)).get('maker'))
    await until('the end of the process', () => !existsSync(`/proc/${maker}`))
    expect(await pool.make(request('web1'), async () => HERE)).toBe(HERE)
  })
})
