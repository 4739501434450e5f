import { describe, expect, it } from 'vitest'
import { type AuthQuestion, decideAuth } from './auth-decision.ts'
import type { KeyState, StoredKey } from './key-store.ts'

const mine = 'PEM mine'
const stored = (state: KeyState, pub = mine): StoredKey => ({ state, pub })
const question = (given: Partial<AuthQuestion>): AuthQuestion => ({
  id: 'm1',
  pub: mine,
  key: undefined,
  openMode: false,
  autoReject: false,
  autoSign: false,
  full: false,
  away: false,
  mayFile: () => true,
  ...given,
})

describe('decideAuth', () => {
  it.each<[string, Partial<AuthQuestion>, Record<string, unknown>]>([
    ['a new key', {}, { act: 'pend', ret: true, store: stored('pending') }],
    ['a new key where too many wait', { mayFile: () => false }, { act: 'full', ret: 'full', store: undefined }],
    [
      'a new key that is rejected by itself where too many are',
      { mayFile: () => false, autoReject: true },
      { act: 'full', ret: 'full', store: undefined },
    ],
    [
      'a new key that is signed by itself where too many wait',
      { mayFile: () => false, autoSign: true },
      { act: 'accept', ret: undefined, store: stored('accepted') },
    ],
    [
      'a new key that is signed by itself',
      { autoSign: true },
      { act: 'accept', ret: undefined, store: stored('accepted') },
    ],
    [
      'a new key on the list of rejections',
      { autoReject: true, autoSign: true },
      { act: 'reject', ret: false, store: stored('rejected') },
    ],
    [
      'the accepted key',
      { key: stored('accepted', `${mine}\r\n`) },
      { act: 'accept', ret: undefined, store: undefined },
    ],
    ['another than the accepted key', { key: stored('accepted', 'x') }, { act: 'denied', ret: false, deny: true }],
    [
      'another than the accepted key, though signed by itself',
      { key: stored('accepted', 'x'), autoSign: true },
      { act: 'denied', ret: false, deny: true },
    ],
    ['the pending key', { key: stored('pending') }, { act: 'pend', ret: true, store: undefined }],
    ['another than the pending key', { key: stored('pending', 'x') }, { act: 'denied', ret: false, deny: true }],
    [
      'the pending key that is now signed by itself',
      { key: stored('pending'), autoSign: true },
      { act: 'accept', ret: undefined, store: stored('accepted') },
    ],
    [
      'another than the pending key that is signed by itself',
      { key: stored('pending', 'x'), autoSign: true },
      { act: 'denied', ret: false, deny: true },
    ],
    [
      'a pending key on the list of rejections',
      { key: stored('pending', 'x'), autoReject: true },
      { act: 'reject', ret: false, store: stored('rejected', 'x') },
    ],
    ['a rejected key', { key: stored('rejected'), autoSign: true }, { act: 'reject', ret: false, store: undefined }],
    ['any minion when there is no room', { key: stored('accepted'), full: true }, { act: 'full', ret: 'full' }],
    [
      'an accepted minion on a master cut off from its cluster',
      { key: stored('accepted'), away: true },
      { act: 'full', ret: 'full' },
    ],
    [
      'any key in open mode',
      { key: stored('rejected', 'x'), openMode: true },
      { act: 'accept', ret: undefined, store: stored('accepted') },
    ],
    [
      'the known key in open mode',
      { key: stored('accepted'), openMode: true },
      { act: 'accept', ret: undefined, store: undefined },
    ],
    ['no key in open mode', { pub: '', openMode: true }, { act: 'reject', ret: false }],
  ])('decides on %s', (_name, given, expected) => {
    const { log: _log, ...decision } = decideAuth(question(given))
    expect(decision).toEqual(expected)
  })
})
