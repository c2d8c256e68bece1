import type { Flags } from '../../config/config.ts'
import type { Command } from '../cli/context.ts'
import { observationsCall } from '../../mirror/observations/open-questions.ts'
import { callMirror } from '../open-mirror.ts'
import { formatObservations } from '../output/observations.ts'
import { writeResult } from '../output/format/json.ts'

type ObservationsFlags = Flags & { readonly json?: true }

export const observations: Command<ObservationsFlags> = async (context) => {
  const accounts = await callMirror(context, observationsCall, ({ account }) => ({ account }))
  await writeResult(context, { accounts }, (out) => formatObservations(accounts, out))
  return 0
}
