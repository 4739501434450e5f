// The recorded cases ask far more of each outputter; these are the points that no recording shows.
import { describe, expect, test } from 'vitest'
import { dictFrom, tuple, type Value } from '../data/mod.ts'
import { display } from './display.ts'

const dict = (entries: Record<string, Value>) => dictFrom(entries)

describe('nested', () => {
  test('sorts keys of several types by their text, of which the last counts', () => {
    const data = new Map<Value, Value>([
      ['1', 'text'],
      [1, 'number'],
      [null, 'none'],
    ])
    expect(display('nested', data)).toBe('1:\n    number\nNone:\n    none')
  })

  test('prints nothing for bytes that are no text', () => {
    expect(display('nested', [Uint8Array.of(0xff), 'x'])).toBe('- x')
  })

  test('lets no control character of an answer reach the terminal, in keys either', () => {
    const data = dict({ 'a\x1b[2J\x07': 'b\x07\x08\x9b2J\x7f\tc', d: 'größer' })
    expect(display('nested', data)).toBe('a?[2J?:\n    b???2J?\tc\nd:\n    größer')
    const kept = display('nested', data, dict({ strip_colors: false }))
    expect(kept).toContain('a\x1b[2J\x07:')
  })

  test('takes the colour red for the structure of a failed answer, even if its code is None', () => {
    const shown = display('nested', dict({ a: 1 }), dict({ color: true }), { kwargs: dict({ _retcode: null }) })
    expect(shown).toBe('\x1b[0;31ma\x1b[0;0m:\n    \x1b[0;1;33m1\x1b[0;0m')
  })
})

test('json writes an empty object for data it cannot hold', () => {
  expect(display('json', new Map<Value, Value>([[tuple([1]), 1]]))).toBe('{}')
})

test('yaml and pprint leave an indent that is no number to nested', () => {
  for (const out of ['yaml', 'pprint']) {
    expect(display(out, dict({ a: 1 }), dict({ output_indent: 'pretty' }))).toBe('a:\n    1')
  }
})

test('txt shows bytes line by line, each as bytes', () => {
  expect(display('txt', dict({ m: new Uint8Array(Buffer.from('a\r\nb\n')) }))).toBe("m: b'a'\nm: b'b'")
})

describe('table', () => {
  test('cuts rows to the lines of the shortest cell, and columns to the shortest row', () => {
    const rows: Value = [
      ['a\nb', 'c', 'd'],
      ['e', 'f'],
    ]
    expect(display('table', rows)).toBe(
      ['    ---------', '    | a | c |', '    ---------', '    | e | f |', '    ---------'].join('\n'),
    )
  })

  test('breaks a cell at the space where it gets too wide', () => {
    const opts = dict({ 'out.table.width': 6, 'out.table.justify': 'left', 'out.table.separate_rows': false })
    expect(display('table', ['one two three'], opts)).toBe('    | one   |\n    | two   |\n    | three |')
  })
})

describe('outputters of earlier versions', () => {
  test('newline_values_only gives a line per item', () => {
    expect(display('newline_values_only', dict({ a: ['x', 1], b: true }))).toBe('x\n1\nTrue')
  })

  test('quiet prints nothing', () => {
    for (const out of ['quiet', 'no_out', 'no_out_quiet']) expect(display(out, dict({ a: 1 }))).toBe('')
  })

  test('overstatestage lists the settings of each stage', () => {
    const stages = [dict({ web: dict({ sls: ['nginx'], match: 'web*' }) })]
    expect(display('overstatestage', stages)).toBe("web: \n    match: web*\n    sls: ['nginx']")
  })

  test('profile sorts states by the text of how long they took', () => {
    const data = dict({
      m1: dict({
        'file_|-b_|-/etc/b_|-managed': dict({ name: '/etc/b', duration: 63.145 }),
        'test_|-a_|-a_|-nop': dict({ __id__: 'a', duration: '1.5' }),
        'cmd_|-c_|-c_|-run': dict({ name: null }),
      }),
    })
    const opts = dict({
      'out.table.separate_rows': false,
      'out.table.justify': 'left',
      'out.table.delim': '  ',
      'out.table.prefix': '',
      'out.table.suffix': '',
    })
    expect(display('profile', data, opts).split('\n')).toEqual([
      '    name    mod.fun       duration (ms)',
      '    -----------------------------------',
      '    a       test.nop             1.5000',
      '    <>      cmd.run             -1.0000',
      '    /etc/b  file.managed        63.1450',
    ])
  })

  test('virt_query shows each machine below its host', () => {
    const machine = dict({
      cpu: 2,
      state: 'running',
      graphics: dict({ type: 'vnc', port: 5900 }),
      disks: dict({ vda: dict({ 'disk size': 8, file: '/x', 'file format': 'raw' }) }),
      nics: dict({ 'aa:bb': dict({ source: dict({ bridge: 'br0' }), type: 'bridge' }) }),
    })
    const host = dict({ vm_info: dict({ vm1: machine }) })
    expect(display('virt_query', dict({ data: dict({ h1: host }), h1: host })).split('\n')).toEqual([
      'h1',
      '  vm1',
      '    CPU: 2',
      '    State: running',
      '    Graphics: vnc - h1:5900',
      '    Disk - vda:',
      '      Size: 8',
      '      File: /x',
      '      File Format: raw',
      '    Nic - aa:bb:',
      '      Source: br0',
      '      Type: bridge',
    ])
  })
})
