// The database server and public formulas by salt-ssh on hosts that have an sshd and neither Node nor Python, against salt-call on twins.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { byItself, Controller, differences, leftovers, overSsh, ownTree, type Tree } from '../../agentless.ts'
import { FORMULAS, type Formula } from '../../compare/formulas.ts'
import { DAEMON_MOUNTS } from '../../fleet.ts'
import type { Host } from '../../host.ts'
import { Lab } from '../../lab.ts'
import { bootMirror, introduce } from '../../mirror.ts'
import { STOCK } from '../../stock.ts'

const TREES = process.env['FORMULA_TREES'] ?? ''
const NAMES = ['cron', 'logrotate', 'sudoers']

let lab: Lab
let controller: Controller
const used: Host[] = []

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK, mounts: DAEMON_MOUNTS })
  const [host] = await lab.boot('control')
  controller = await Controller.on(host!)
})

afterEach(async () => {
  for (const host of used.splice(0)) await lab.discard(host)
})

afterAll(() => lab?.close())

/** A target and its twin, fresh. */
async function pair(): Promise<[target: Host, twin: Host]> {
  const [[target], [twin]] = [await lab.bootBare('target'), await lab.boot('twin')]
  used.push(target!, twin!)
  await controller.meet(target!)
  return [target!, twin!]
}

function formulaTree({ name, sls = [name], pillar = {}, without }: Formula): Tree {
  const states = join(TREES, `${name}-formula`)
  const example = readFileSync(join(states, 'pillar.example'), 'utf8').split('\n')
  return {
    states,
    pillar: {
      'top.sls': JSON.stringify({ base: { '*': ['example', 'lab'] } }),
      'lab.sls': JSON.stringify(pillar),
      'example.sls': example.filter((line) => !without?.test(line)).join('\n'),
    },
    options: { pillar_source_merging_strategy: 'recurse' },
    sls: sls.join(','),
  }
}

describe('over SSH, as by salt-call on a twin', () => {
  it('the database server', async () => {
    const mirror = await bootMirror(lab, /^(postgresql|libpq|libllvm)/)
    const [target, twin] = await pair()
    // the controller fetches what states name by URL
    for (const host of [controller.host, target, twin]) await introduce(host, mirror)
    const tree = ownTree('database', 'database.postgresql')
    controller.write(tree, { db: { host: target.address } })
    const ssh = await overSsh(controller, 'db', target, tree)
    expect(differences(ssh, await byItself('db', twin, tree))).toEqual([])
    expect(await leftovers(target)).toEqual([])
  })

  for (const formula of FORMULAS.filter(({ name }) => NAMES.includes(name))) {
    it.skipIf(!existsSync(join(TREES, `${formula.name}-formula`)))(`${formula.name}-formula`, async () => {
      const [target, twin] = await pair()
      const tree = formulaTree(formula)
      controller.write(tree, { formula: { host: target.address } })
      const ssh = await overSsh(controller, 'formula', target, tree)
      const lines = differences(ssh, await byItself('formula', twin, tree))
      expect(lines.filter((line) => !formula.chance?.test(line))).toEqual([])
      expect(await leftovers(target)).toEqual([])
    })
  }
})
