// Runs the program on hostile trees: nothing of them runs, nothing hangs, and the rest is still checked.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/doctor.ts'
import { PlantedSite } from './planted-site.ts'

const brine = join(import.meta.dirname, '../../dist/brine.js')

interface Outcome {
  code: number
  out: string
  err: string
}

/** The command, with a worker of the built program. */
async function doctor(...words: string[]): Promise<Outcome> {
  const outcome: Outcome = { code: 0, out: '', err: '' }
  const streams = {
    out: (text: string) => void (outcome.out += text),
    err: (text: string) => void (outcome.err += text),
    terminal: false,
  }
  outcome.code = await run(words, streams, [process.execPath, brine])
  return outcome
}

const RAN = '$DIR/ran'
const TREE = {
  'salt/top.sls': "base: {'*': [bomb, shell, fine]}",
  'salt/bomb.sls':
    "{% set x = namespace(s='aaaaaaaaaa') %}{% for i in range(99999) %}{% for j in range(99999) %}{% set x.s = x.s ~ x.s[:9] %}{% endfor %}{% endfor %}",
  'salt/shell.sls': `{% set a = salt['cmd.run']('touch ${RAN}') %}{% do salt['file.touch']('${RAN}') %}{% do salt['http.query']('http://127.0.0.1:1/') %}
a: {test.nop: [{x: {{ a.split()[0] }}}]}
{{ salt['file.read']('/etc/hostname') }}: {test.nop: []}
`,
  'salt/python.sls': `#!py\nopen('${RAN}', 'w').write('x')\ndef run(): return {}\n`,
  'salt/_modules/side.py': `open('${RAN}', 'w').write('x')\n`,
  'salt/yaml.sls': `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghijkl'
    .split('')
    .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghijkl'[index]}`).join(', ')}]`)
    .join('\n')}\n`,
  'salt/fine.sls': 'b: {no_such.state: []}\n',
}

describe('the doctor on a hostile tree', () => {
  let site: PlantedSite
  afterEach(() => site.remove())

  test('runs nothing, ends, and still checks the rest', async () => {
    site = new PlantedSite()
    site.write(TREE)
    const root = join(site.dir, 'salt')
    execFileSync('mkfifo', [join(root, 'pipe.sls'), join(root, '_modules', 'pipe.py')])
    symlinkSync('..', join(root, 'loop'))
    symlinkSync('/dev/zero', join(root, 'zero.sls'))
    symlinkSync('self', join(root, 'self'))
    mkdirSync(join(root, 'big'))
    writeFileSync(join(root, 'big', 'huge.sls'), 'x'.repeat(3 << 20))
    const { code, out, err } = await doctor('--file-root', root, '--json', '--file-seconds', '5')
    expect(err).toBe('')
    const { findings } = JSON.parse(out) as { findings: Array<{ code: string; file: string | null; level: string }> }
    const of = (name: string): string[] =>
      findings.filter((one) => one.code === name).map(({ file }) => (file ?? '').replace(`${root}/`, ''))
    expect(of('file-too-slow')).toContain('bomb.sls')
    expect(of('state-missing')).toEqual(['fine.sls'])
    expect(of('file-skipped')).toEqual(
      expect.arrayContaining(['loop/salt', 'pipe.sls', 'self', 'zero.sls', '_modules/pipe.py', 'big/huge.sls']),
    )
    expect(of('not-evaluated')).toEqual(expect.arrayContaining(['shell.sls', 'python.sls']))
    expect(existsSync(join(site.dir, 'ran'))).toBe(false)
    expect(code).toBe(1)
  }, 120_000)
})

describe('brine doctor', () => {
  let site: PlantedSite
  afterEach(() => site.remove())

  test('ends with 0, 1, 2 and 64, applies the ignore rules, and shows no secret', async () => {
    site = new PlantedSite()
    const text = "{% set x = salt['no_such.function']() %}\nu:\n  mysql_user.present:\n    - password: hunter2hunter2\n"
    site.write({ 'salt/a.sls': text, ignored: '# ours\nfunction-missing *.sls\nsecret-in-file\n' })
    const root = ['--file-root', join(site.dir, 'salt')]
    const found = await doctor(...root)
    expect(found.code).toBe(1)
    expect(found.out).toContain("a.sls:1: There is no function 'no_such.function'")
    expect(found.out).toContain("a.sls:4: The file holds a value of 'password' in clear")
    expect(found.out).not.toContain('hunter2')
    expect((await doctor(...root, '--ignore', 'function-missing', '--strict')).code).toBe(1)
    expect((await doctor(...root, '--strict', '--ignore-file', join(site.dir, 'ignored'))).code).toBe(0)
    const wrong = await doctor(...root, '--ignore', 'state-mising')
    expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining("Did you mean 'state-missing'?")])
    site.write({ ignored: 'state-mising\n' })
    expect((await doctor(...root, '--ignore-file', join(site.dir, 'ignored'))).code).toBe(2)
    expect((await doctor('--file-root', join(site.dir, 'nowhere'))).code).toBe(64)
    expect((await doctor('--config-dir', join(site.dir, 'nowhere'))).code).toBe(64)
  }, 120_000)
})
