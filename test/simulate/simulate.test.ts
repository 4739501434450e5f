// `brine simulate` beside a master: sign-ins, targets, returns, faults and the end.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../src/cli/simulate.ts'
import { Cluster } from '../live/cluster.ts'
import { until } from '../until.ts'

const setup = { master: { gather_job_timeout: 1 }, minions: {} }
const cluster = new Cluster({ scenario: 'simulate', description: '', setup, steps: [], events: [] })
const folder = mkdtempSync(join(tmpdir(), 'brine-simulate-'))
const accepted = (): string[] => readdirSync(join(cluster.root, 'master/pki/minions'))

beforeAll(async () => {
  await cluster.prepare()
  cluster.start('master')
  await until('the master listens', () => existsSync(join(cluster.sockets, 'master_event_pull.ipc')))
  await until('the master has its key', () => existsSync(join(cluster.root, 'master/pki/master.pem')))
})
afterAll(async () => {
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Run the command until `work` is done, then interrupt it. */
async function simulating(words: string[], work: () => Promise<void>) {
  const told = { out: '', err: '' }
  const streams = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    terminal: false,
  }
  // with --accept the command reads the port in the configuration of the master
  const port = words.includes('--accept') ? [] : ['--port', String(cluster.requestPort)]
  const argv = [...words, ...port, '--json', '-c', join(cluster.root, 'master')]
  let hasEnded = false
  const ended = run(argv, streams).finally(() => {
    hasEnded = true
  })
  try {
    await until('the minions have signed in', () => told.out.includes('"event":"ready"') || hasEnded)
    expect(told.err).toBe('')
    await work()
  } finally {
    process.emit('SIGINT')
  }
  const status = await ended
  const [ready, end] = told.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>)
  return { status, ready: ready!, end: end!, err: told.err }
}

/** Return the minions that answered `salt`, with their results. */
async function answers(words: string): Promise<Record<string, unknown>> {
  const { stdout } = await cluster.run(`salt --out=json ${words}`)
  // one document for each minion
  const parts = stdout.split(/(?<=^\})\n/m).filter((part) => part.startsWith('{'))
  return Object.assign({}, ...parts.map((part) => JSON.parse(part) as object))
}

describe('brine simulate', () => {
  it('signs minions in whose keys it accepted, answers targets and functions, and removes the keys at its end', async () => {
    const grains = join(folder, 'grains.yaml')
    writeFileSync(grains, '- {tier: front}\n- {tier: back}\n')
    const { status, ready, end } = await simulating(
      ['10', '--accept', '--keys', '2', '--grains', grains, '--states', '3'],
      async () => {
        expect(accepted()).toHaveLength(10)
        expect(Object.keys(await answers("'sim-*' test.ping"))).toHaveLength(10)
        expect(Object.keys(await answers('-G tier:back test.ping')).sort()).toEqual(
          [1, 3, 5, 7, 9].map((i) => `sim-${i}`),
        )
        expect(await answers('-C sim-4 grains.item tier id')).toEqual({ 'sim-4': { tier: 'front', id: 'sim-4' } })
        const applied = (await answers('sim-2 state.apply'))['sim-2'] as object
        expect(Object.keys(applied)).toHaveLength(3)
        expect(await answers('sim-2 pkg.install nano')).toEqual({ 'sim-2': true })
      },
    )
    expect([status, ready['connected']]).toEqual([0, 10])
    expect([end['jobs'], end['returns']]).toEqual([5, 18])
    expect(accepted()).toEqual([])
  })

  it('makes returns fail, come twice and come not at all, and loses connections', async () => {
    const words = [
      '10',
      '--prefix',
      'odd-',
      '--accept',
      '--fail',
      '50',
      '--twice',
      '50',
      '--silent',
      '20',
      '--reconnect',
      '5',
    ]
    const { end } = await simulating(words, async () => {
      const ping = await answers("-t 1 'odd-*' test.ping")
      const failed = Object.values(ping).filter((value) => String(value).includes('simulated failure'))
      expect(failed).toHaveLength(4)
      expect(Object.values(ping).filter((value) => value === true)).toHaveLength(4)
      await until(
        'a minion has connected again',
        async () => Object.keys(await answers("-t 1 'odd-*' test.ping")).length >= 8,
      )
    })
    expect(end['silent']).toBeGreaterThanOrEqual(2)
    expect(end['twice']).toBeGreaterThanOrEqual(4)
  })

  it('fetches the pillar and the files that changed before a run of states', async () => {
    const tree = join(cluster.root, 'srv/salt/fetched')
    mkdirSync(tree, { recursive: true })
    for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(tree, name), `content of ${name}`)
    const { end } = await simulating(['3', '--prefix', 'fetch-', '--accept', '--fetch-files'], async () => {
      const before = Object.keys(await answers("'fetch-*' state.apply"))
      expect(before).toHaveLength(3)
      writeFileSync(join(tree, 'b'), 'another content')
      expect(Object.keys(await answers("'fetch-*' state.apply"))).toHaveLength(3)
    })
    // five files on each minion, and one of them again
    expect([end['files'], end['unserved']]).toEqual([18, 0])
  })

  it('keeps its keys, and waits until an operator accepts them', async () => {
    const pki = join(folder, 'pki')
    const words = ['3', '--prefix', 'kept-', '--pki-dir', pki, '--keys', '1', '--no-pillar']
    const pending = join(cluster.root, 'master/pki/minions_pre')
    const first = simulating(words, async () => {
      expect(Object.keys(await answers("'kept-*' test.ping"))).toHaveLength(3)
    })
    await until('the keys wait', () => readdirSync(pending).filter((id) => id.startsWith('kept-')).length === 3)
    await cluster.run('salt-key -y -A')
    expect((await first).status).toBe(0)
    expect(readdirSync(pki).sort()).toEqual(['minion_master.pub', 'simulated-0.pem', 'simulated-0.pub'])
    const again = await simulating(words, async () => undefined)
    expect(again.ready['connected']).toBe(3)
  })

  it('does not replace the key of another minion, nor let minions with other keys in', async () => {
    const told: string[] = []
    const streams = { out: () => undefined, err: (text: string) => void told.push(text), terminal: false }
    const argv = ['2', '--prefix', 'kept-', '--port', String(cluster.requestPort), '-c', join(cluster.root, 'master')]
    expect(await run([...argv, '--accept'], streams)).toBe(1)
    expect(told.join('')).toContain('The master has accepted another key for kept-0')
    told.splice(0)
    expect(await run(argv, streams)).toBe(1)
    expect(told.join('')).toMatch(/2 minions were refused by the master/)
  })

  it('reports invalid arguments', async () => {
    const told: string[] = []
    const streams = { out: () => undefined, err: (text: string) => void told.push(text), terminal: false }
    const status = async (...argv: string[]): Promise<string> => {
      told.splice(0)
      expect(await run(argv, streams)).not.toBe(0)
      return told.join('')
    }
    expect(await status()).toContain('say how many minions to simulate')
    expect(await status('10', '--fail', '120')).toContain('--fail must be at most 100')
    expect(await status('10', '--delay', '9-3')).toContain('--delay must be milliseconds')
    expect(await status('10', '--prefix', '../x')).toContain('no id of a minion can begin with ../x')
    expect(await status('9999999')).toContain('minions, not of 9999999')
    writeFileSync(join(folder, 'bad.yaml'), 'just text')
    expect(await status('10', '--grains', join(folder, 'bad.yaml'))).toContain(
      'must be a mapping or a list of mappings',
    )
  })
})
