import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Recorded, scripted, type Trial, tryFunction, tryState } from '../../../sdk/mod.ts'
import keyboard from './module.ts'
import states from './state.ts'

const LOCALECTL = { '/usr/bin/localectl': { text: '', mode: 0o755 } }

async function machine(recorded: Record<string, Recorded>, files: Record<string, { text: string; mode: number }> = {}) {
  const host = await MemoryHost.with({ files })
  const { others, ran } = scripted(recorded)
  const edits: Value[] = []
  const all: NonNullable<Trial['others']> = {
    ...others,
    'file.sed': (args) => {
      edits.push([...args])
      return true
    },
  }
  const grains = new Map<Value, Value>([['os_family', 'Debian']])
  const call = async (fun: string, ...args: Value[]) =>
    toPlain(await tryFunction(keyboard, fun, { args, host, others: all, grains }))
  const apply = async (fun: string, name: string, test = false) => {
    const functions = ['get_sys', 'set_sys', 'get_x', 'set_x'].map((own) => [
      `keyboard.${own}`,
      (args: readonly Value[]) => tryFunction(keyboard, own, { args, host, others: all, grains }),
    ])
    return toPlain(await tryState(states, fun, { kwargs: { name }, others: Object.fromEntries(functions), test }))
  }
  return { call, apply, ran, edits }
}

describe('keyboard', () => {
  const shown = { 'localectl | grep Keymap*': 'VC Keymap=us', 'setxkbmap -query*': 'layout:     us' }

  test('the states set what differs', async () => {
    const { apply, ran } = await machine({ ...shown, 'localectl set-keymap de': '', 'setxkbmap de': '' }, LOCALECTL)
    expect(await apply('system', 'us')).toMatchObject({
      result: true,
      changes: {},
      comment: 'System layout us already set',
    })
    expect(await apply('system', 'de', true)).toMatchObject({
      result: null,
      comment: 'System layout de needs to be set',
    })
    expect(await apply('system', 'de')).toMatchObject({ result: true, changes: { layout: 'de' } })
    expect(await apply('xorg', 'us')).toMatchObject({ result: true, changes: {} })
    expect(await apply('xorg', 'de')).toMatchObject({ result: true, comment: 'Set XOrg keyboard layout de' })
    expect(ran.filter((line) => !/grep/.test(line))).toEqual(['localectl set-keymap de', 'setxkbmap de'])
  })

  test('a failure of the program is an error', async () => {
    const refused = { retcode: 1, stderr: 'Failed to set keymap: Keymap xx is not installed.' }
    const { call } = await machine({ 'localectl set-keymap xx': refused, 'setxkbmap xx': { retcode: 255 } }, LOCALECTL)
    await expect(call('set_sys', 'xx')).rejects.toThrow('localectl failed: Failed to set keymap: Keymap xx')
    await expect(call('set_x', 'xx')).rejects.toThrow('setxkbmap failed')
  })

  test('the programs take a variant or a second layout', async () => {
    const { call, ran } = await machine({ 'localectl set-keymap us de': '', 'setxkbmap us dvorak': '' }, LOCALECTL)
    await call('set_sys', 'us de')
    await call('set_x', 'us dvorak')
    expect(ran).toEqual(['localectl set-keymap us de', 'setxkbmap us dvorak'])
  })

  test('a layout holds nothing that a shell reads', async () => {
    const { call, edits } = await machine({})
    expect(await call('set_sys', 'de(nodeadkeys),us')).toBe('de(nodeadkeys),us')
    expect(edits).toEqual([['/etc/default/keyboard', '^XKBLAYOUT=.*', 'XKBLAYOUT=de(nodeadkeys),us']])
    await expect(call('set_sys', 'us de')).rejects.toThrow('Invalid keyboard layout')
    for (const layout of ['us;reboot', '$(reboot)', 'us\nX=1', '-v', '']) {
      await expect(call('set_sys', layout)).rejects.toThrow('Invalid keyboard layout')
      await expect(call('set_x', layout)).rejects.toThrow('Invalid keyboard layout')
    }
    expect(edits).toHaveLength(1)
  })
})
