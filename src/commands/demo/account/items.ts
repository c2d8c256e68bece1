/**
 * The items of the sample account, as they go out. The spec does not say which fields are required, so all
 * but the ids may be missing or null here; the last fields of each are ones that the spec does not name.
 */
export interface SampleEvent {
  readonly id: string
  readonly title: string
  readonly event_at: string
  readonly description?: string | undefined
  readonly event_type: string
  readonly location: string | null
  readonly capacity?: number
}

export interface SampleResponse {
  readonly id: number
  readonly name: string
  readonly email?: string | undefined
  readonly message: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly quantity?: number | null | undefined
  readonly rsvp?: string
  readonly amount?: string | number
  readonly processing_fee?: string | undefined
  readonly slots?: readonly SampleSlot[]
  readonly source?: string
  readonly seating?: { readonly row: string; readonly seat: number }
}

export interface SampleSlot {
  readonly name: string
  readonly start_date: string
  readonly end_date: string
}

/** The three shapes of the spec: A, B and C. */
export type Shape = 'reply' | 'payment' | 'signup'

/** The shape in which a response of the sample account was made; an odd one keeps the mark of its own. */
export function shapeOf(response: SampleResponse): Shape {
  if (response.amount !== undefined) return 'payment'
  return response.slots === undefined ? 'reply' : 'signup'
}
