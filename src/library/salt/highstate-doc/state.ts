// Notes between states, for the document that `highstate_doc.render` writes. They do nothing to the machine.
import { str, truthy } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'

/** Longer ones are not repeated in the result. */
const SHORT = 200

export default defineState({
  name: 'highstate_doc',
  doc: 'Notes for the document of a machine.',
  functions: {
    note: state({
      doc: 'Put text into the document, at the place of this state.',
      args: {
        name: arg.string('Its name'),
        source: arg.text('Where the text is', { optional: true }),
        contents: arg.any('The text', { optional: true }),
        kwargs: arg.open('Unused'),
      },
      run: (_ctx, { name, source, contents }) => {
        const file = source ? `include file: ${source}\n` : ''
        const text = truthy(contents) && str(contents).length < SHORT ? str(contents) : ''
        return { name, result: true, comment: file + text, changes: {} }
      },
    }),
  },
})
