// Hints from a job to the terminal of its user: on stderr, with the path on the master and the wrong line. The output
// on stdout and the return stay Salt's.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { salt, saltCall, saltRun } from '../../src/cli/mod.ts'
import { toPlain } from '../../src/data/mod.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster

interface Said {
  status: number
  out: string
  err: string
}

async function say(program: typeof salt, ...argv: string[]): Promise<Said> {
  const said: Said = { status: 0, out: '', err: '' }
  said.status = await program(argv, {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    terminal: false,
  })
  return said
}

const ask = (...argv: string[]): Promise<Said> => say(salt, '-c', master.config, '-t', '60', ...argv)
const run = (...argv: string[]): Promise<Said> => say(saltRun, '-c', master.config, ...argv)

const TREE = {
  'web/init.sls': `{% set name = 'motd' %}
{{ name }}:
  file.managed:
    - name: ROOT/made/{{ name }}
    - makedirs: true
    - contentz: hello
`,
  'slip.sls': 'one:\n  file.manged:\n    - name: /nowhere\n',
  'requisite.sls': 'first:\n  test.nop: []\nsecond:\n  test.nop:\n    - require:\n      - test: frist\n',
  'code.sls': '#!py\ndef run():\n    return {"one": nothing}\n',
  'orch.sls': 'step:\n  salt.state:\n    - tgt: web*\n    - sls: web\nother:\n  salt.runner:\n    - name: mange.up\n',
}

beforeAll(async () => {
  site = await TestSite.open()
  for (const [path, text] of Object.entries(TREE)) {
    const file = join(site.root, 'srv', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text.replaceAll('ROOT', site.root))
  }
  master = await site.master()
  for (const id of ['web1', 'web2']) await site.minion(id)
})
afterAll(() => site?.close())

const IGNORED = "file.managed has no option 'contentz'; ignored. Did you mean 'contents'?"
/** Salt's output for the same state. */
const APPLIED = `web1:
  Name: ROOT/made/motd - Function: file.managed - Result: Changed - Started: TIME - Duration: SPENT

Summary for web1
------------
Succeeded: 1 (changed=1)
Failed:    0
------------
Total states run:     1
Total run time: SPENT
`

const served = (path: string): string => join(site.root, 'srv', path)

describe('salt', () => {
  test('shows an option that a state ignores, with the path and the line on the master', async () => {
    const { out, err, status } = await ask('web1', 'state.apply', 'web', '--state-output=terse')
    expect(err).toBe(`[WARNING ] web1: ${served('web/init.sls')}:6: ${IGNORED}\n`)
    const timeless = out.replace(/\d\d:\d\d:\d\d\.\d+/, 'TIME').replace(/ +[\d.]+ m?s$/gm, ' SPENT')
    expect(timeless.replaceAll(site.root, 'ROOT')).toBe(APPLIED)
    expect(status).toBe(0)
  })

  test('prints a hint of several minions once', async () => {
    const { err } = await ask('*', 'state.apply', 'web')
    expect(err).toMatch(/^\[WARNING \] (web1 and web2|web2 and web1): .*\/web\/init\.sls:6: .*\n$/)
    const batch = await ask('-b', '1', '*', 'state.apply', 'web')
    expect(batch.err).toContain(`web1 and web2: ${served('web/init.sls')}:6: ${IGNORED}\n`)
  })

  test('suggests a similar function, and prints the answer like Salt', async () => {
    const { out, err, status } = await ask('web1', 'tset.ping')
    expect(out).toBe("web1:\n    'tset.ping' is not available.\n")
    expect(err).toBe(
      "[WARNING ] web1: There is no function 'tset.ping'. Did you mean 'test.ping'?\n" +
        'ERROR: Minions returned with non-zero exit code\n',
    )
    expect(status).toBe(1)
  })

  test.each([
    ['slip', "slip.sls:2: State 'file.manged' was not found in SLS 'slip'. Did you mean 'file.managed'?"],
    ['requisite', 'requisite.sls:6: Referenced state does not exist for requisite [require: (test: frist)]'],
    ['code', "code.sls:3: Rendering SLS 'base:code' failed: NameError: name 'nothing' is not defined"],
  ])('shows the line of a state that is wrong: %s', async (sls, text) => {
    const { err } = await ask('web1', 'state.apply', sls)
    expect(err).toContain(`[ERROR   ] web1: ${served(text)}`)
  })

  test('suggests a similar state if there is no file to point at', async () => {
    const { err } = await ask('web1', 'state.single', 'file.manged', 'name=/nowhere')
    expect(err).toContain(
      "[ERROR   ] web1: Specified state 'file.manged' was not found. Did you mean 'file.managed'?\n",
    )
  })

  test.each([[['--out=quiet']], [['-l', 'quiet']]])('shows no hints with %j', async (words) => {
    expect((await ask(...words, 'web1', 'state.apply', 'web')).err).toBe('')
  })

  test('gives machines the answer alone', async () => {
    const { out } = await ask('--out=json', '--static', 'web1', 'tset.ping')
    expect(JSON.parse(out)).toEqual({ web1: "'tset.ping' is not available." })
  })

  test('colours hints on a terminal only', async () => {
    let err = ''
    const streams = {
      out: () => undefined,
      err: (text: string) => void (err += text),
      terminal: true,
      errTerminal: true,
    }
    await salt(['-c', master.config, '-t', '60', 'web1', 'tset.ping'], streams)
    expect(err).toContain('\x1b[0;33m[WARNING ]\x1b[0;0m web1: There is no function')
  })
})

describe('the hints of a job', () => {
  test('are stored with the return, and sent in its event', async () => {
    master.seen.splice(0)
    const jid = await master.publish('web1', 'state.apply', ['web'])
    const { data } = await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
    expect(toPlain(data.get('hints')!)).toEqual([{ level: 'warning', text: IGNORED, at: 'salt://web/init.sls:6' }])
    const { err, out } = await run('jobs.lookup_jid', jid)
    expect(err).toBe(`[WARNING ] web1: ${served('web/init.sls')}:6: ${IGNORED}\n`)
    expect(out).not.toContain('contentz')
  })

  test('are no part of a return without any', async () => {
    master.seen.splice(0)
    const jid = await master.publish('web1', 'test.ping')
    const { data } = await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
    expect(data.has('hints')).toBe(false)
  })
})

describe('salt-run', () => {
  test('passes on what minions tell to an orchestration, and what is wrong with its own steps', async () => {
    const { err } = await run('state.orchestrate', 'orch')
    expect(err).toMatch(/\[WARNING \] (web1 and web2|web2 and web1): .*\/web\/init\.sls:6: file\.managed has no option/)
    expect(err).toContain(`${served('orch.sls')}:6: salt.runner: 'mange.up'. Did you mean 'manage.up'?`)
  })

  test('suggests a similar function', async () => {
    const { err, out } = await run('mange.up')
    expect(out).toBe("'mange.up' is not available.\n")
    expect(err).toBe("[WARNING ] 'mange.up' is not available. Did you mean 'manage.up'?\n")
  })

  test('says which keyword a function does not have, beside the text of the function', async () => {
    const { err, out } = await run('fileserver.envs', 'zap=1')
    expect(out).toBe('fileserver.envs:\n    Return the environments.\n')
    expect(err).toBe('[WARNING ] The following keyword arguments are not valid: zap=1\n')
  })
})

test('salt-call shows a hint once, and sends it to the master', async () => {
  master.seen.splice(0)
  const config = dirname(site.minionConfig('web3'))
  const { err } = await say(saltCall, '-c', config, 'state.apply', 'web')
  expect(err).toBe(`[WARNING ] salt://web/init.sls:6: ${IGNORED}\n`)
  const { data } = await master.event(/^salt\/job\/\d+\/ret\/web3$/)
  expect(toPlain(data.get('hints')!)).toEqual([{ level: 'warning', text: IGNORED, at: 'salt://web/init.sls:6' }])
  expect(readFileSync(join(site.root, 'made/motd'), 'utf8')).toBe('')
})

test('A returner that does not exist is reported', async () => {
  const { status, out, err } = await ask('web1', 'test.ping', '--return=postgers,local_cache')
  expect({ status, out }).toEqual({ status: 0, out: 'web1:\n    True\n' })
  expect(err).toContain("web1: The returner postgers.returner is not available. Did you mean 'postgres'?")
})
