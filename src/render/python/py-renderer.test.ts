import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Dict, repr, type Value } from '../../data/mod.ts'
import { type RenderOptions, renderText } from '../pipeline.ts'

const context: RenderOptions = {
  opts: new Map<Value, Value>([['id', 'web1']]),
  grains: new Map<Value, Value>([['os', 'Debian']]),
  pillar: new Map(),
  sls: 'app',
  functions: {
    has: (name) => name === 'test.echo',
    hasModule: (name) => name === 'test',
    names: () => ['test.echo'],
    call: (_name, [text]) => text!,
  },
}

const rendered = async (body: string): Promise<string> =>
  repr((await renderText(`#!py\n${body}`, context)).value as Dict)

describe('the py renderer', () => {
  test('returns the result of run(), types included', async () => {
    expect(await rendered('def run():\n    return {"a": [1, 2.5, None, (1, "x")], 3: b"x", "big": 2**70}\n')).toBe(
      "{'a': [1, 2.5, None, (1, 'x')], 3: b'x', 'big': 1180591620717411303424}",
    )
  })

  test('lets the file see data and call functions', async () => {
    const body =
      'def run():\n    print("noise")\n    echo = __salt__["test.echo"]\n    return [__grains__["os"], __opts__["id"], sls, echo({"k": 1}), salt.test.echo(2)]\n'
    expect(await rendered(body)).toBe("['Debian', 'web1', 'app', {'k': 1}, 2]")
  })

  test('shows where the file failed', async () => {
    await expect(rendered('def run():\n    return nope\n')).rejects.toThrow(
      /line 3[\s\S]*NameError: name 'nope' is not defined/,
    )
  })

  test.each([
    ['import nosuchmodule_x\ndef run():\n    return {}\n', "No module named 'nosuchmodule_x'"],
    ['def run(:\n', 'invalid syntax (<sls>, line 2)'],
  ])('reports only the error of a file that cannot be loaded: %j', async (body, message) => {
    await expect(rendered(body)).rejects.toThrow(new RegExp(`^${message.replace(/[()]/g, '\\$&')}$`))
  })

  test("lets a renderer of users' own take part in a pipe", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brine-renderers-'))
    mkdirSync(join(folder, 'renderers'))
    const body =
      'def render(data, saltenv="base", sls="", argline="", **kwargs):\n    return {"was": data.split(), "line": argline, "sls": sls}\n'
    writeFileSync(join(folder, 'renderers', 'words.py'), body)
    const opts = new Map<Value, Value>([['extension_modules', folder]])
    const { value } = await renderText('#!jinja|words -x\na {{ 1 + 1 }}', { ...context, opts })
    expect(repr(value)).toBe("{'was': ['#!jinja|words', '-x', 'a', '2'], 'line': '-x', 'sls': 'app'}")
    rmSync(folder, { recursive: true })
  })
})

const hasMako = spawnSync('python3', ['-c', 'import mako']).status === 0

describe('the mako renderer', () => {
  test.runIf(hasMako)('sees data, calls functions and hands its text on', async () => {
    const text = '#!mako|yaml\n% for n in range(2):\n${sls}${n}: ${salt["test.echo"](grains["os"])}\n% endfor\n'
    expect(repr((await renderText(text, context)).value)).toBe("OrderedDict([('app0', 'Debian'), ('app1', 'Debian')])")
  })

  test.runIf(hasMako)('reports the line of an undefined name', async () => {
    const failing = renderText('#!mako|yaml\na: 1\nb: ${nope}\n', { ...context, path: '/srv/salt/app.sls' })
    await expect(failing).rejects.toMatchObject({ at: { file: '/srv/salt/app.sls', line: 3 } })
    await expect(failing).rejects.toThrow("Mako: 'nope' is not defined")
  })

  test.skipIf(hasMako)('says which library it needs', async () => {
    await expect(renderText('#!mako|yaml\na: 1\n', context)).rejects.toThrow(
      "The renderer 'mako' needs Python's mako library (Debian: python3-mako)",
    )
  })
})
