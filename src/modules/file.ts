// Files: their facts, their content, and managing them.
import { defineModule } from '../sdk/mod.ts'
import { contentFunctions } from './file/contents.ts'
import { editingFunctions } from './file/editing.ts'
import { factFunctions } from './file/facts.ts'
import { managedFunctions } from './file/managed.ts'
import { treeFunctions } from './file/tree.ts'

export default defineModule({
  name: 'file',
  doc: 'Files and directories.',
  when: ({ grains }) => grains.get('kernel') !== 'Windows' || 'Windows has its own module for files',
  functions: { ...factFunctions, ...contentFunctions, ...editingFunctions, ...treeFunctions, ...managedFunctions },
})
