"""A Singer tap of the account, on the SDK as its documentation shows it: events, and the responses to each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singer_sdk import RESTStream, Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import APIKeyAuthenticator

TEXT = th.StringType()
TIME = th.DateTimeType()


class AccountStream(RESTStream[None]):
    """A list that is read whole, by the key of the account."""

    @property
    def url_base(self) -> str:
        return str(self.config["service_url"])

    @property
    def authenticator(self) -> APIKeyAuthenticator:
        return APIKeyAuthenticator(key="X-API-Key", value=self.config["service_key"])


class EventsStream(AccountStream):
    name = "events"
    path = "/events"
    primary_keys = ("id",)
    schema = th.PropertiesList(
        th.Property("id", TEXT),
        th.Property("title", TEXT),
        th.Property("event_at", TIME),
        th.Property("description", TEXT),
        th.Property("event_type", TEXT),
        th.Property("location", TEXT),
    ).to_dict()

    def get_child_context(self, record: Mapping[str, Any], context: Mapping[str, Any] | None) -> dict[str, Any]:
        return {"event_id": record["id"]}


class ResponsesStream(AccountStream):
    name = "responses"
    path = "/events/{event_id}/responses"
    primary_keys = ("event_id", "id")
    parent_stream_type = EventsStream
    # No bookmark of its own for each event: the state would be written anew, and grow, with each.
    state_partitioning_keys = ()
    schema = th.PropertiesList(
        th.Property("event_id", TEXT),
        th.Property("id", th.IntegerType),
        th.Property("name", TEXT),
        th.Property("email", TEXT),
        th.Property("message", TEXT),
        th.Property("created_at", TIME),
        th.Property("updated_at", TIME),
        th.Property("quantity", th.IntegerType),
        th.Property("rsvp", TEXT),
        th.Property("amount", TEXT),
        th.Property("processing_fee", TEXT),
        th.Property("slots", th.ArrayType(th.ObjectType(additional_properties=True))),
    ).to_dict()

    def post_process(self, row: dict[str, Any], context: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return {**row, "event_id": (context or {})["event_id"]}


class AccountTap(Tap):
    name = "tap-account"
    config_jsonschema = th.PropertiesList(
        th.Property("service_url", TEXT, required=True),
        th.Property("service_key", TEXT, required=True, secret=True),
    ).to_dict()

    def discover_streams(self) -> list[AccountStream]:
        return [EventsStream(self), ResponsesStream(self)]


if __name__ == "__main__":
    AccountTap.cli()
