// Files: facts, content, and management.
import { defineModule } from '../../../sdk/mod.ts'
import { contentFunctions } from './module/contents.ts'
import { editingFunctions } from './module/editing.ts'
import { factFunctions } from './module/facts.ts'
import { managedFunctions } from './module/managed.ts'
import { treeFunctions } from './module/tree.ts'

export default defineModule({
  name: 'file',
  doc: 'Files and directories.',
  when: ({ grains }) => grains.get('kernel') !== 'Windows' || 'Windows has its own module for files',
  functions: { ...factFunctions, ...contentFunctions, ...editingFunctions, ...treeFunctions, ...managedFunctions },
})
