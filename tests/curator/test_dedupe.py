"""The same learning again: what is merged, and what only looks alike."""

import pytest

from bellek.curator import dedupe


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Veritabanı bağlantısı her istekte yeniden açılmalı çünkü havuz dolu", "Veritabanı bağlantısı her istekte yeniden açılmamalı çünkü havuz dolu"),
        ("Dağıtım betiği hata olunca kendiliğinden yeniden denendi", "Dağıtım betiği hata olunca kendiliğinden yeniden denenmedi"),
        ("Önbellek her sürümden önce elle temizlenmiş olacak", "Önbellek her sürümden önce elle temizlenmemiş olacak"),
        ("The release hook does retry failed uploads on the staging host", "The release hook doesn't retry failed uploads on the staging host"),
        ("The staging host can be reached from the build machine over ssh", "The staging host can’t be reached from the build machine over ssh"),
    ],
)  # fmt: skip
def test_a_negated_learning_is_no_twin(one, other):
    """R33: a sentence and its denial are two learnings, however alike their words are, in Turkish and in English."""
    assert not dedupe.same(one, other)
    assert not dedupe.same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Testler her zaman uv ile çalıştırılır, kilit dosyası okunsun", "testler her zaman uv ile çalıştırılır: kilit dosyası okunsun"),
        ("Run the tests through uv so that the lock file is read", "Run the test through uv, so that the lock file is read."),
    ],
)  # fmt: skip
def test_the_same_learning_in_nearly_the_same_words_is_a_twin(one, other):
    """R33: case, punctuation and one ending do not make a second learning."""
    assert dedupe.same(one, other)
