import { beforeEach, describe, expect, test } from 'vitest'
import { fromPlain, isDict, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import highstateDoc from './module.ts'

const low = (state: string, fun: string, id: string, more: Record<string, Plain> = {}): Plain => ({
  state,
  fun,
  __id__: id,
  __sls__: 'web',
  __env__: 'base',
  name: id,
  order: 1,
  ...more,
})

let host: MemoryHost
beforeEach(async () => {
  host = await MemoryHost.with({
    files: { '/etc/motd': 'welcome ``` here\n', '/etc/big': 'x'.repeat(30), '/etc/bin': 'a\0b' },
  })
})

interface CallOptions {
  states?: Plain
  config?: Plain
  kwargs?: Record<string, Value>
}

async function call(
  name: string,
  args: Value[],
  { states = [], config = {}, kwargs = {} }: CallOptions = {},
): Promise<Plain> {
  const others = {
    'config.get': () => fromPlain(config),
    'state.show_lowstate': () => fromPlain(states),
    'file.stats': ([path]: readonly Value[]) =>
      fromPlain({ user: 'root', size: path === '/etc/big' ? 30 : 5, inode: 7 }),
    'file.find': () => ['/etc/motd'],
    'cp.get_file_str': ([source]: readonly Value[]) => (source === 'salt://note.md' ? 'from a file' : ''),
    'highstate_doc.processor_markdown': async (args: readonly Value[]) =>
      tryFunction(highstateDoc, 'processor_markdown', { args, host, others }),
    'highstate_doc.markdown_default_jinja_template': () => 'the template',
  }
  const render = async ({ text, context }: { text: string; context?: ReadonlyMap<string, Value> }) =>
    `${text}: ${[...((context?.get('lowstates') ?? []) as Value[])].map((each) => (isDict(each) ? each.get('id_full') : '')).join(' ')}`
  return toPlain(await tryFunction(highstateDoc, name, { args, kwargs, host, others, context: { render } }))
}

async function details(state: Plain, config: Plain = {}): Promise<string> {
  const [only] = (await call('process_lowstates', [], { states: [state], config })) as [
    { markdown: { details: string } },
  ]
  return only!.markdown.details
}

describe('highstate_doc', () => {
  test('describes a state with its requisites', async () => {
    const state = low('service', 'running', 'nginx', {
      enable: true,
      watch: [{ file: '/etc/nginx.conf' }],
      require: [{ pkg: 'nginx' }],
    })
    expect(await call('process_lowstates', [], { states: [state] })).toEqual([
      {
        vars: state,
        state: 'service',
        name: 'nginx',
        function: 'running',
        id: 'nginx',
        id_full: 'service: nginx',
        state_function: 'service.running',
        markdown: {
          requisites:
            'run or update after changes in:\n * [file: /etc/nginx.conf](#file-etcnginxconf)\nrequire:\n * [pkg: nginx](#pkg-nginx)\n',
          details: '```\nenable: true\n```\n',
        },
      },
    ])
  })

  test.each<[Plain, string]>([
    [low('pkg', 'installed', 'web', { pkgs: ['nginx'] }), "\n```\ninstall: ['nginx']\n```\n"],
    [
      low('file', 'managed', '/etc/motd'),
      'file stat /etc/motd\n```\nsize: 5\nuser: root\n```\nfile data /etc/motd\n```\nwelcome ``[`][markdown parse fix] here\n\n```\n',
    ],
    [
      low('file', 'managed', '/etc/bin'),
      'file stat /etc/bin\n```\nsize: 5\nuser: root\n```\nfile data /etc/bin\n```\n[[skipped binary data]]\n```\n',
    ],
    [low('file', 'blockreplace', '/x', { content: 'a' }), 'ensure block of content is in file\n```\na\n```\n'],
    [low('highstate_doc', 'note', 'n', { contents: 'hello', source: 'salt://note.md' }), '\nhello\n\nfrom a file\n'],
    [low('highstate_doc', 'note', 'n', { source: 'salt://none' }), '\nERROR: opening salt://none\n'],
    [low('cmd', 'run', 'true'), ''],
  ])('describes its effect: %j', async (state, text) => {
    expect(await details(state)).toBe(text)
  })

  test('leaves out large files, and says how to see them', async () => {
    expect(await details(low('file', 'managed', '/etc/big'), { max_render_file_size: 10 })).toContain(
      'SKIPPED LARGE FILE!',
    )
  })

  test('leaves out states, and replaces text', async () => {
    const states = [low('pkg', 'installed', 'a'), low('pkg', 'installed', 'b !doc_skip'), low('cmd', 'run', 'c')]
    const config = { filter_function_regex: ['cmd'], replace_text_regex: { 'pkg: (.)': 'package \\1' } }
    expect(await call('render', [], { states, config })).toBe('the template: package a')
    expect(await call('render', ['own'], { states, kwargs: { filter_id_regex: ['a'] } })).toBe(
      'own: pkg: b !doc_skip cmd: c',
    )
  })

  test('says so when the states cannot be had', async () => {
    await expect(call('render', [], { states: ['broken'] })).rejects.toThrow(
      'to see details run: [salt-call state.show_lowstate]',
    )
    expect(await call('read_file', ['/none'])).toBe(null)
  })
})
