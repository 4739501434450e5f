import { expect, test } from 'vitest'
import { type Dict, fromPlain, hideMarked, markTexts } from '../data/mod.ts'
import { askForSecrets, takeSecrets, tellSecrets } from './pillar-secrets.ts'

test('A pillar contains the texts of its secrets only on request, and the key is removed again', () => {
  markTexts(['secret-in-pillar'])
  const pillar = fromPlain({ a: 'secret-in-pillar' }) as Dict
  expect(tellSecrets(new Map(), pillar)).toBe(pillar)
  const told = tellSecrets(askForSecrets(new Map()), pillar)
  expect(told.size).toBe(2)
  expect(takeSecrets(told)).toEqual(pillar)
  expect(takeSecrets(fromPlain({ __secret_texts__: ['told-by-master', 5] }) as Dict).size).toBe(0)
  expect(hideMarked('told-by-master')).toBe('**********')
})
