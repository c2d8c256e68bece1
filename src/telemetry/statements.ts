/** Statements to the database, by the semantic conventions of OpenTelemetry. */
import type { Attributes } from '@opentelemetry/api'
import {
  ATTR_DB_NAMESPACE,
  ATTR_DB_OPERATION_NAME,
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
} from '@opentelemetry/semantic-conventions'
import { instruments } from './instruments.ts'
import { HeadcountError } from '../common/errors.ts'
import { childSpans } from './child-spans.ts'
import { Observation, type Observers } from './observation.ts'

/** The first words of statements that this program sends; all others are one operation. */
const operations: ReadonlySet<string> = new Set([
  'ALTER',
  'ANALYZE',
  'BEGIN',
  'CLOSE',
  'COMMENT',
  'COMMIT',
  'COPY',
  'CREATE',
  'DECLARE',
  'DELETE',
  'DROP',
  'FETCH',
  'INSERT',
  'LOCK',
  'ROLLBACK',
  'SELECT',
  'SET',
  'SHOW',
  'TRUNCATE',
  'UPDATE',
  'VACUUM',
  'WITH',
])

/** So far a statement names its first table. */
const LOOKED_AT = 400
const FIRST_TABLE = /\b(?:from|into|update|copy)\s+("?headcount(?:_internal)?"?\."?\w+"?)/i

/** A connection to a server, as pg has it. */
export interface Connection {
  readonly host?: string
  readonly port?: number
  readonly database?: string | undefined
}

/**
 * Observes a statement that was sent, until `sent` settles: only its first word and the first table of ours, never its
 * text or its values.
 *
 * @param connection null of a PGlite
 */
export function observeStatement<T>(
  text: string,
  connection: Connection | null,
  sent: Promise<T>,
): Promise<T> {
  const duration = instruments()?.databaseDuration
  const spans = childSpans()
  if (duration === undefined && spans === undefined) return sent
  return settled(new StatementObservation({ duration, spans }, text, connection), sent)
}

class StatementObservation extends Observation {
  protected readonly kind = 'statement'
  readonly #text: string
  readonly #connection: Connection | null
  readonly #operation: string

  constructor(observers: Observers, text: string, connection: Connection | null) {
    super(observers)
    this.#text = text
    this.#connection = connection
    this.#operation = operationOf(text)
  }

  protected attributes(): Attributes {
    return attributesOf(this.#operation, this.errorType)
  }

  protected span() {
    const summary = summaryOf(this.#operation, this.#text)
    return {
      name: summary,
      attributes: { [ATTR_DB_QUERY_SUMMARY]: summary, ...serverAttributes(this.#connection) },
    }
  }
}

/** By operation and kind of failure: one frozen object each, which the SDK of the command hashes once. */
const known = new Map<string, Attributes>()

function attributesOf(operation: string, errorType: string | null): Attributes {
  const outcome = errorType === null ? operation : `${operation} ${errorType}`
  const found = known.get(outcome)
  if (found !== undefined) return found
  const made: Attributes = Object.freeze({
    [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_POSTGRESQL,
    [ATTR_DB_OPERATION_NAME]: operation,
    ...(errorType !== null && { [ATTR_ERROR_TYPE]: errorType }),
  })
  known.set(outcome, made)
  return made
}

async function settled<T>(observed: Observation, sent: Promise<T>): Promise<T> {
  try {
    return await sent
  } catch (error) {
    observed.fail(causeOf(error))
    throw error
  } finally {
    observed.end()
  }
}

/** The driver's error, whose code is the SQLSTATE, below ours. */
function causeOf(error: unknown): unknown {
  return error instanceof HeadcountError && error.cause !== undefined ? error.cause : error
}

function serverAttributes(connection: Connection | null): Attributes {
  if (connection?.host === undefined) return {}
  const { host, port, database } = connection
  return {
    [ATTR_SERVER_ADDRESS]: host,
    ...(port !== undefined && { [ATTR_SERVER_PORT]: port }),
    ...(database !== undefined && { [ATTR_DB_NAMESPACE]: database }),
  }
}

function operationOf(text: string): string {
  const word = /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? ''
  return operations.has(word) ? word : 'OTHER'
}

function summaryOf(operation: string, text: string): string {
  const table = FIRST_TABLE.exec(text.slice(0, LOOKED_AT))?.[1]
  return table === undefined ? operation : `${operation} ${table.replaceAll('"', '')}`
}
