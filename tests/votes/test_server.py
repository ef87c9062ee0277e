from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from convergebench.store import Workspace
from convergebench.votes.question_pool import QuestionPool
from convergebench.votes.study import Study, StudyText
from convergebench.votes.vote_store import read_votes

pytest.importorskip("fastapi", reason="pip install 'convergebench[view]'")
pytest.importorskip("httpx", reason="pip install httpx")

TEXT = StudyText("You agree to look at pictures.", votes=5)


def client_of(opened: Workspace, pool: QuestionPool, token: str = "", text: StudyText = TEXT) -> Any:
    from fastapi.testclient import TestClient

    from convergebench.votes.server import make_vote_app

    study = Study(opened, pool, text, opened.start_run({"command": "vote"}))
    host = "study.example" if token else "127.0.0.1"
    return TestClient(make_vote_app(study, opened, token), base_url=f"http://{host}")


@pytest.fixture
def client(opened: Workspace, pool: QuestionPool) -> Iterator[Any]:
    return client_of(opened, pool)


def start(client: Any, rater: str = "ada") -> dict[str, Any]:
    found = client.post("/vote/start", json={"rater": rater, "consent": TEXT.consent_mark})
    assert found.status_code == 200, found.text
    state: dict[str, Any] = found.json()
    return state


def answered(client: Any, question: dict[str, Any], rater: str = "ada", **changes: Any) -> Any:
    answer = "yes" if question["kind"] == "visibility" else "first"
    vote = {
        "convergebench_vote": 1, "rater": rater, "kind": question["kind"], "answer": answer,
        "pictures": question["pictures"], "texts": question["texts"], "repeat": question["repeat"],
        "seconds": 3.5, "mode": "side", "consent": TEXT.consent_mark,
    }  # fmt: skip
    return client.post("/vote/answer", json={**vote, **changes})


def test_a_vote_is_on_disk_when_the_server_answers(client: Any, opened: Workspace) -> None:
    state = start(client)
    next_state = answered(client, state["question"]).json()
    assert next_state["done"] == 1
    with Workspace.existing(opened.folder) as other:
        assert [vote.seconds for vote in read_votes(other)] == [3.5]


def test_nothing_that_a_rater_receives_names_a_model(client: Any) -> None:
    state = start(client)
    for _ in range(4):
        sent = json.dumps(state)
        assert not any(name in sent for name in ("steady", "fading", "refuser", "anna", "lake"))
        state = answered(client, state["question"]).json()
    page = client.get("/").text + client.get("/page/data/study.js").text
    assert "steady" not in page


def test_the_study_ends_after_the_votes_that_it_asks_for(client: Any) -> None:
    state = start(client)
    while state["question"] is not None:
        state = answered(client, state["question"]).json()
    assert (state["done"], state["total"]) == (5, 5)


def test_undo_asks_the_same_question_again(client: Any, opened: Workspace) -> None:
    first = start(client)["question"]
    answered(client, first)
    undone = client.post("/vote/undo", json={"rater": "ada", "consent": TEXT.consent_mark}).json()
    assert undone["done"] == 0 and undone["question"]["pictures"] == first["pictures"]
    assert read_votes(opened) == []


def test_no_vote_without_consent(client: Any, opened: Workspace) -> None:
    question = start(client)["question"]
    assert answered(client, question, consent="").status_code == 400
    assert client.post("/vote/start", json={"rater": "ada", "consent": "x"}).status_code == 400
    assert read_votes(opened) == []


def test_raters_vote_side_by_side_and_go_on_where_they_stopped(
    client: Any, opened: Workspace, pool: QuestionPool
) -> None:
    for rater in ("ada", "bob"):
        answered(client, start(client, rater)["question"], rater)
    again = client_of(opened, pool)
    assert start(again, "ada")["done"] == 1 and start(again, "cleo")["done"] == 0


def test_other_sites_cannot_vote_for_a_visitor(client: Any) -> None:
    body = json.dumps({"rater": "ada"})
    assert client.post("/vote/start", content=body, headers={"content-type": "text/plain"}).status_code == 415
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400


def test_bad_requests_are_answered_and_change_nothing(client: Any, opened: Workspace) -> None:
    question = start(client)["question"]
    assert answered(client, question, answer="maybe").status_code == 400
    elsewhere = [[role, "0" * 64] for role, _ in question["pictures"]]
    assert answered(client, question, pictures=elsewhere).status_code == 400
    for body in (b"[]", b"{", b"x" * 100_000):
        found = client.post("/vote/answer", content=body, headers={"content-type": "application/json"})
        assert found.status_code == 400
    assert read_votes(opened) == []


def test_with_a_token_nothing_is_answered_without_it(opened: Workspace, pool: QuestionPool) -> None:
    client = client_of(opened, pool, token="s3cret")
    digest = pool.pairs[0].source
    for place in ("/", "/page/vote.js", f"/pictures/{digest[:2]}/{digest}.png", "/?token=wrong"):
        assert client.get(place).status_code == 403
    assert client.post("/vote/start", json={"rater": "ada"}).status_code == 403
    entered = client.get("/?token=s3cret", follow_redirects=False)
    assert entered.status_code == 303 and "s3cret" not in entered.headers["location"]
    assert "HttpOnly" in entered.headers["set-cookie"] and "strict" in entered.headers["set-cookie"].lower()
    assert client.get("/").status_code == 200
